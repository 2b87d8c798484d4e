# foothold_warnings(TARGET): the warnings all our code compiles under.
function(foothold_warnings target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Werror
        $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)
endfunction()

# foothold_layer(FOLDER LINK targets...): a static library of all sources of FOLDER, named after it (analyse/scan
# becomes analyse_scan). An empty folder makes an interface library, so that layers can come one by one.
function(foothold_layer folder)
    cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "LINK")
    string(REPLACE "/" "_" name ${folder})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.c ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
    if(sources)
        add_library(${name} STATIC ${sources})
        foothold_warnings(${name})
        target_link_libraries(${name} PUBLIC ${layer_LINK})
    else()
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE ${layer_LINK})
    endif()
endfunction()

# foothold_id(MACRO HEADER patterns...): generates HEADER, which defines MACRO as a hash of all files that match.
function(foothold_id macro header)
    file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
    set(output ${CMAKE_BINARY_DIR}/generated/${header})
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DMACRO=${macro} "-DSOURCES=${sources}" -P ${CMAKE_SOURCE_DIR}/tools/cmake/write_id.cmake
        DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/tools/cmake/write_id.cmake VERBATIM)
    set(foothold_id_output ${output} PARENT_SCOPE)
endfunction()
