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
# ${tree-sitter_core}: its own headers, as src/NAME.h.
target_include_directories(tree_sitter SYSTEM PUBLIC ${tree-sitter_core}/include ${tree-sitter_core} PRIVATE ${tree-sitter_core}/src)
# The grammars' scanners allocate as tree-sitter does.
target_compile_definitions(tree_sitter PRIVATE TREE_SITTER_REUSE_ALLOCATOR)
# gcc calls what clang inlines: every function of the lexer, for one.
target_compile_options(tree_sitter PRIVATE -w
    $<$<C_COMPILER_ID:GNU>:--param=max-inline-insns-auto=100;--param=inline-unit-growth=200>)
