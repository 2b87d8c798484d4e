# The page of the HTML report: TypeScript in analyse/report/web, bundled by esbuild into two halves, between which
# html.c puts the JSON. Its packages come from npm, once for all build folders, by analyse/report/web/package-lock.json;
# after that, nothing here needs a network.
#
# Run as a script (cmake -P) it builds the page: WEB is the source folder, MODULES where packages are kept, OUT the
# folder to build in.
function(web_run what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${what} failed:\n${output}")
    endif()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    cmake_minimum_required(VERSION 3.25)
    file(MAKE_DIRECTORY ${MODULES} ${OUT})
    file(LOCK ${MODULES} DIRECTORY GUARD PROCESS TIMEOUT 600)
    if(NOT EXISTS ${MODULES}/.complete)
        file(COPY ${WEB}/package.json ${WEB}/package-lock.json DESTINATION ${MODULES})
        web_run("npm ci (it needs the npm registry once)"
            ${NPM} ci --ignore-scripts --no-audit --no-fund WORKING_DIRECTORY ${MODULES})
        file(TOUCH ${MODULES}/.complete)
    endif()
    file(REMOVE_RECURSE ${OUT}/src)
    file(COPY ${WEB}/src ${WEB}/build.mjs ${WEB}/package.json DESTINATION ${OUT})
    file(CREATE_LINK ${MODULES}/node_modules ${OUT}/node_modules SYMBOLIC)
    web_run("bundling the report's page" ${NODE} ${OUT}/build.mjs --out ${OUT}/dist)
    return()
endif()

find_program(FOOTHOLD_NPM npm)
find_program(FOOTHOLD_NODE node)
if(NOT FOOTHOLD_NPM OR NOT FOOTHOLD_NODE)
    message(FATAL_ERROR "npm and node build the page of the HTML report, and are not here; on Debian: apt install npm")
endif()

set(web ${CMAKE_SOURCE_DIR}/analyse/report/web)
set(web_out ${CMAKE_BINARY_DIR}/web)
file(SHA256 ${web}/package-lock.json web_lock)
string(SUBSTRING ${web_lock} 0 12 web_lock)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${web}/package-lock.json)
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*)
add_custom_command(
    OUTPUT ${web_out}/dist/page.head.html ${web_out}/dist/page.tail.html
    BYPRODUCTS ${web_out}/dist/page.html
    COMMAND ${CMAKE_COMMAND} -DNPM=${FOOTHOLD_NPM} -DNODE=${FOOTHOLD_NODE} -DWEB=${web} -DOUT=${web_out}
        -DMODULES=${CMAKE_SOURCE_DIR}/build/third_party/web-${web_lock} -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${web_sources} ${web}/build.mjs ${web}/package.json ${web}/package-lock.json ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Bundling the report's page"
    VERBATIM)
set_source_files_properties(${CMAKE_SOURCE_DIR}/analyse/report/html.c PROPERTIES
    COMPILE_DEFINITIONS FOOTHOLD_PAGE_DIRECTORY="${web_out}/dist"
    OBJECT_DEPENDS "${web_out}/dist/page.head.html;${web_out}/dist/page.tail.html")
