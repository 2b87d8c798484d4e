# matrix_libraries: oneDNN and OpenBLAS, behind device/kern/blas.h and its neighbours. OpenBLAS is the OpenMP build
# (the serial one is not safe for several threads), linked statically: its names are also exported by libtorch_cpu, which would be found first. For the same reason
# oneDNN is opened at run time, apart from the rest of the process (device/kern/onednn.h).
find_path(openblas_include cblas.h PATH_SUFFIXES openblas-openmp ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp REQUIRED)
find_library(openblas_archive libopenblas.a PATH_SUFFIXES openblas-openmp ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp
    REQUIRED)
find_path(dnnl_include dnnl.h REQUIRED)
add_library(matrix_libraries INTERFACE)
target_include_directories(matrix_libraries SYSTEM INTERFACE ${openblas_include} ${dnnl_include})
target_link_libraries(matrix_libraries INTERFACE ${openblas_archive} gomp m)
