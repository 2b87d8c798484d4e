# Sources fetched by tools/setup; see third_party/sources.txt. They compile without our warnings.
set(third_party ${CMAKE_SOURCE_DIR}/build/third_party)
file(STRINGS ${CMAKE_SOURCE_DIR}/third_party/sources.txt third_party_lines REGEX "^(pypi|npm)")
foreach(line IN LISTS third_party_lines)
    string(REGEX MATCH "^[a-z]+ +([^ ]+) +([^ ]+)" _ "${line}")
    set(directory ${third_party}/${CMAKE_MATCH_1}-${CMAKE_MATCH_2})
    if(NOT EXISTS ${directory}/.complete)
        message(FATAL_ERROR "${CMAKE_MATCH_1} ${CMAKE_MATCH_2} is not there; run tools/setup")
    endif()
    # Of "@scope/name" the name.
    string(REGEX REPLACE "^@.*/" "" package ${CMAKE_MATCH_1})
    set(${package}_directory ${directory})
endforeach()

set(tree-sitter_core ${tree-sitter_directory}/tree_sitter/core/lib)
add_library(tree_sitter STATIC
    ${tree-sitter_core}/src/lib.c
    ${tree-sitter-python_directory}/src/parser.c ${tree-sitter-python_directory}/src/scanner.c
    ${tree-sitter-toml_directory}/src/parser.c ${tree-sitter-toml_directory}/src/scanner.c)
target_include_directories(tree_sitter SYSTEM PUBLIC ${tree-sitter_core}/include PRIVATE ${tree-sitter_core}/src)
target_compile_options(tree_sitter PRIVATE -w)
