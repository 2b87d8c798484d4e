# cmake -DOUTPUT=FILE -DMACRO=NAME -DSOURCES=a;b -P write_id.cmake: a header that defines NAME as a hash of the files'
# contents, so that what was cached by another build can be told.
cmake_minimum_required(VERSION 3.25)
set(all "")
foreach(source IN LISTS SOURCES)
    file(SHA256 ${source} hash)
    string(APPEND all ${hash})
endforeach()
string(SHA256 id "${all}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define @MACRO@ \"@id@\"\n" @ONLY)
