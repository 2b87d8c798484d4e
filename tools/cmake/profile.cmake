# The parser by its own profile: two thirds of a scan are spent in it, and gcc makes it a tenth faster when it knows
# which branches are taken. tools/train builds the same sources once more, counting; that program parses the Python
# files that tree-sitter's sources come with (the same everywhere, and parsing a sample of transformers instead gives
# no better profile); and its counts steer the real compilation.
option(FOOTHOLD_PROFILE "Compile the parser by a profile of it (gcc, Release, not cross-compiled)" ON)

set(profiled_third_party lib ${tree-sitter_core}/src/lib.c
    python_parser ${tree-sitter-python_directory}/src/parser.c
    python_scanner ${tree-sitter-python_directory}/src/scanner.c)
foreach(name syntax python_grammar python_repair parse_memory parse_text)
    list(APPEND profiled_ours ${name} ${CMAKE_SOURCE_DIR}/analyse/scan/${name}.c)
endforeach()

# foothold_profiled(OPTIONS [DEPENDS file]): compiles the profiled sources of this folder's targets with OPTIONS. gcc
# names the counts NAME.gcda below `profile_directory` after -dumpdir and -dumpbase, and it tells functions apart by
# that name too: it must be the same when counting and when using the counts.
set(profile_directory ${CMAKE_BINARY_DIR}/profile)
function(foothold_profiled)
    cmake_parse_arguments(PARSE_ARGV 0 profiled "" "" "OPTIONS;DEPENDS")
    set(rest ${profiled_third_party} ${profiled_ours})
    while(rest)
        list(POP_FRONT rest name source)
        set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${profiled_DEPENDS}"
            COMPILE_OPTIONS "-dumpdir;${profile_directory}/;-dumpbase;${name};-frandom-seed=${name};${profiled_OPTIONS}")
    endwhile()
endfunction()

# -dumpdir means this since gcc 11. Other generators than Ninja would run the training once per library.
if(FOOTHOLD_PROFILE AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 11
        AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_GENERATOR STREQUAL "Ninja"
        AND NOT FOOTHOLD_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    add_subdirectory(tools/train)
    set(copies "")
    set(counts "")
    set(names ${profiled_third_party} ${profiled_ours})
    while(names)
        list(POP_FRONT names name source)
        list(APPEND counts ${profile_directory}/${name}.gcda)
        # Counts that did not change stay as they are: what depends on them alone is not compiled again. Some hold the
        # low bits of addresses (alignments seen) and differ from run to run; the code made of them does not.
        list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy_if_different
            ${profile_directory}/run${profile_directory}/${name}.gcda ${profile_directory}/${name}.gcda)
    endwhile()
    file(GLOB training_files ${tree-sitter_directory}/tests/*.py)
    add_custom_command(OUTPUT ${counts}
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${profile_directory}/run
        COMMAND ${CMAKE_COMMAND} -E env GCOV_PREFIX=${profile_directory}/run $<TARGET_FILE:train_parser> ${training_files}
        ${copies}
        DEPENDS train_parser ${training_files} COMMENT "Profiling the parser" VERBATIM)
    # Partial: what the files do not show (broken syntax, mostly) is compiled for speed too, not for size.
    foothold_profiled(OPTIONS -fprofile-use -fprofile-partial-training DEPENDS ${counts})
endif()
