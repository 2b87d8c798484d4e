# libfoothold_npu.so is the software Ascend; what clients ask for by CANN's names are empty libraries that need it and
# lie beside it. Only names marked FH_EXPORT leave it (tools/exports).
file(WRITE ${CMAKE_BINARY_DIR}/generated/empty.c "")
add_library(foothold_npu SHARED ${CMAKE_BINARY_DIR}/generated/empty.c)
target_link_libraries(foothold_npu PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,device_abi>)
target_link_options(foothold_npu PRIVATE -Wl,--exclude-libs,libopenblas.a -Wl,-z,defs -Wl,--gc-sections)
set_target_properties(foothold_npu PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/npu)
# Those that libtorch_npu.so 2.13.0 is linked to, and the two that it opens for operators.
foreach(soname ascendcl hccl acl_op_compiler ge_runner graph acl_tdt_channel opapi nnopbase)
    add_library(cann_${soname} SHARED ${CMAKE_BINARY_DIR}/generated/empty.c)
    set_target_properties(cann_${soname} PROPERTIES OUTPUT_NAME ${soname}
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/npu BUILD_RPATH "\$ORIGIN" INSTALL_RPATH "\$ORIGIN")
    target_link_libraries(cann_${soname} PRIVATE foothold_npu)
    target_link_options(cann_${soname} PRIVATE -Wl,--no-as-needed)
endforeach()
# Where `foothold run` looks for them: beside the program's folder, not among the libraries that everything is linked to.
get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER targets INCLUDE REGEX "^cann_")
install(TARGETS foothold_npu ${targets} LIBRARY DESTINATION lib/foothold)
