#include "analyse/scan/cuda.h"
#include "analyse/scan/python.h"
#include "os/file.h"
#include "tests/test.h"
#include "tests/unit/shared.h"
#include "tests/unit/sweep.h"

static const char *const kinds[] = {"kernel",   "launch",  "include",   "embedded",
                                    "declared", "call",    "intrinsic", "asm",
                                    "dispatch", "library", "binding"};

static void add_lines(const fh_unit *unit, fh_buffer *out)
{
    for (uint32_t i = 1; i < unit->kernels.count; i++) {
        fh_kernel kernel = unit->kernels.items[i];
        fh_place begin = fh_unit_place(unit, kernel.offset), end = fh_unit_place(unit, kernel.end);
        fh_buffer_add_format(out, "%s %.*s %u:%u-%u\n", kinds[kernel.kind],
                             FH_TEXT_ARGS(fh_unit_text(unit, kernel.name)), begin.line,
                             begin.column, end.line);
    }
    for (uint32_t i = 1; i < unit->notes.count; i++)
        fh_buffer_add_format(out, "note %u\n",
                             fh_unit_place(unit, unit->notes.items[i].offset).line);
}

static void check_cuda(const char *text, const char *expected)
{
    fh_unit unit;
    fh_buffer out = {0};
    fh_unit_init(&unit, FH_UNIT_CUDA, FH_TEXT("a.cu"));
    CHECK(fh_cuda_read(fh_text_from(text), &unit) == FH_OK);
    add_lines(&unit, &out);
    CHECK_TEXT(fh_buffer_text(&out), expected);
    fh_buffer_free(&out);
    fh_unit_free(&unit);
}

static void kernels_in_all_their_forms(void)
{
    check_cuda("__global__ void f(float* x) {\n  if (x) { x[0] = 1; }\n}\n", "kernel f 1:17-3\n");
    check_cuda("template <typename T, int N = 3>\n__global__ void f(T* x) {}\n",
               "kernel f 2:17-2\n");
    check_cuda("extern \"C\" __global__ void f() {}\n", "kernel f 1:28-1\n");
    check_cuda("static __global__ void __launch_bounds__(256, 2)\nf() {}\n", "kernel f 2:1-2\n");
    check_cuda("C10_LAUNCH_BOUNDS_1(512)\n__global__ void f() {}\n", "kernel f 2:17-2\n");
    check_cuda("__global__ void C10_LAUNCH_BOUNDS_1(512) f() {}\n", "kernel f 1:42-1\n");
    check_cuda("__global__ void MY_BOUNDS(512) f() {}\n", "kernel f 1:32-1\n");
    check_cuda("__launch_bounds__(1) void __global__ f() {}\n", "kernel f 1:38-1\n");
    check_cuda("__global__ void __attribute__((optnone)) f() {}\n", "kernel f 1:42-1\n");
    check_cuda("__global__ std::enable_if_t<(A > 1), void> f(int) {}\n", "kernel f 1:44-1\n");
    check_cuda("template <> __global__ void f<float, 4>(int) {}\n", "kernel f 1:29-1\n");
    check_cuda("__global__ void N::f(dim3 g = dim3(1)) {}\n", "kernel f 1:20-1\n");
    check_cuda("__global__ void\n#ifdef A\n__launch_bounds__(1)\n#else\n__launch_bounds__(2)\n"
               "#endif\nf() {}\n",
               "kernel f 7:1-7\n");
    check_cuda("__global__ void F() {}\n", "kernel F 1:17-1\n");
}

static void what_is_no_definition(void)
{
    check_cuda("__global__ void f(int);\n", "declared f 1:17-1\n");
    check_cuda("template __global__ void f<float>(float*);\n", "declared f 1:26-1\n");
    check_cuda("// __global__ void f() {}\n/* __global__ void g() {} */\n", "");
    check_cuda("const char* s = \"__global__ void f() {}\";\n", "");
    check_cuda("auto s = R\"x(__global__ void f() {})\" )x\";\n__global__ void g() {}\n",
               "kernel g 2:17-2\n");
    check_cuda("#if 0\n__global__ void f() {}\n#else\n__global__ void g() {}\n#endif\n",
               "kernel g 4:17-4\n");
    check_cuda("#if 1\n__global__ void f() {}\n#else\n__global__ void g() {}\n#endif\n",
               "kernel f 2:17-2\n");
    check_cuda("#if 0\n#if X\n#else\n__global__ void f() {}\n#endif\nit's\n#endif\n"
               "__global__ void g() {}\n",
               "kernel g 8:17-8\n");
    check_cuda("// a comment that goes on \\\n__global__ void f() {}\n", "");
    check_cuda("char c = '\"'; int big = 1'000'000;\n__global__ void g() {}\n",
               "kernel g 2:17-2\n");
    check_cuda("#define __global__\n#error don't\n", "");
}

static void macros_that_make_kernels(void)
{
    check_cuda("#define K __global__ void\nK f(int) {}\n", "kernel f 2:3-2\n");
    check_cuda("#define K(n) __global__ __launch_bounds__(n)\nK(8) void f(int) {}\n",
               "kernel f 2:11-2\n");
    check_cuda("#define DEFINE(name, ...) \\\n template<__VA_ARGS__> \\\n"
               " __global__ void name(Params p)\n"
               "DEFINE(f, bool A) { run<A>(p); }\nDEFINE(g, bool A);\n",
               "kernel f 4:1-4\ndeclared g 5:1-5\n");
    check_cuda("#define UNARY(op) __global__ void op##_kernel(float* x) { x[0] = op(x[0]); }\n"
               "UNARY(exp)\nUNARY(log)\n",
               "kernel exp_kernel 2:1-2\nkernel log_kernel 3:1-3\n");
    check_cuda("#define I(T) template __global__ void f<T>(T*);\nI(float)\n",
               "declared f 1:39-1\n");
}

static void branches_keep_the_depth(void)
{
    check_cuda("__global__ void f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\n"
               "__global__ void g() {\n}\n",
               "kernel f 1:17-8\nkernel g 9:17-10\n");
    check_cuda("namespace n {\n__global__ void f() {\n}\n}\n", "kernel f 2:17-3\n");
}

static void launches(void)
{
    check_cuda("f<<<1, 2>>>(x);\n", "launch f 1:1-1\n");
    check_cuda("n::f<float, (A > 1)><<<dim3(1, 2), 2, 0, s>>>(\n x);\n", "launch f 1:4-2\n");
    check_cuda("f << <1, 2 >> > (x);\n", "launch f 1:1-1\n");
    check_cuda("table[i]<<<1, 2>>>(x); (*p)<<<1, 2>>>(x);\n",
               "launch table 1:1-1\nlaunch p 1:24-1\n");
    check_cuda("f<A<B<int>>><<<1, 2>>>();\n", "launch f 1:1-1\n");
    check_cuda("std::cout << a << b; x <<= 3; operator<<<T>(a, b);\n", "");
    check_cuda("<<<<<<< HEAD\nint a;\n=======\n>>>>>>> b\n", "");
    check_cuda("auto k = &n::scale<T>;\nk<<<1, 2>>>(x);\nk = other(1);\n", "launch scale 2:1-2\n");
    check_cuda("auto k = &f<T::n <= 128, (a > b), p->x>;\nk<<<1, 2>>>(x);\n", "launch f 2:1-2\n");
    check_cuda("f<N <= 4, M >= 2><<<1, 2>>>(x);\n", "launch f 1:1-1\n");
    check_cuda("AT_DISPATCH_FLOATING_TYPES(t, \"f\", [&] { f<scalar_t><<<1, 2>>>(x); });\n",
               "dispatch AT_DISPATCH_FLOATING_TYPES 1:1-1\nlaunch f 1:42-1\n");
    check_cuda("#define RUN(T) f<T><<<1, 2>>>(x)\n", "launch f 1:16-1\n");
    check_cuda("cudaLaunchKernel((void*)f<T, 2>, g, b, a, 0, s);\n", "launch f 1:1-1\n");
    check_cuda("cudaLaunchKernelEx(&c, f, x); hipLaunchKernelGGL(HIP_KERNEL_NAME(g<1>), a, b);\n",
               "launch f 1:1-1\nlaunch g 1:31-1\n");
}

static void calls_headers_and_bindings(void)
{
    check_cuda("#include <cuda_runtime.h>\n#include \"ATen/cuda/CUDAContext.h\"\n"
               "#include <torch/extension.h>\n#include \"cuda/mine.h\"\n# include <cub/cub.cuh>\n",
               "include cuda_runtime.h 1:11-1\ninclude ATen/cuda/CUDAContext.h 2:11-2\n"
               "include cub/cub.cuh 5:12-5\n");
    check_cuda("cudaMalloc(&p, 4); cudaStream_t s; cublasLtMatmul(h); cuda_helper(1);\n",
               "call cudaMalloc 1:1-1\ncall cublasLtMatmul 1:36-1\n");
    check_cuda("at::cuda::getCurrentCUDAStream(); thrust::sort(a, b); cub::BlockReduce<T, 4> r;\n",
               "call at::cuda::getCurrentCUDAStream 1:1-1\ncall thrust::sort 1:35-1\n"
               "call cub::BlockReduce 1:55-1\n");
    check_cuda("v += __shfl_xor_sync(m, v, 1); __syncthreads();\n",
               "intrinsic __shfl_xor_sync 1:6-1\n");
    check_cuda(
        "asm volatile(\"{ .reg .pred p;\\n\" \" cp.async.cg.shared.global [%0], [%1], 16;\\n\""
        " :: \"r\"(a));\nasm(\"cpuid\");\n",
        "asm cp.async.cg.shared.global 1:1-1\n");
    check_cuda("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"f\", &f); }\n"
               "TORCH_LIBRARY(ops, m) { m.def(\"g(Tensor x) -> Tensor\"); }\n"
               "TORCH_LIBRARY_IMPL(ops, CUDA, m) { m.impl(\"g\", &g); }\n",
               "library TORCH_EXTENSION_NAME 1:1-1\nbinding f 1:46-1\n"
               "library ops 2:1-2\nbinding g 2:27-2\nlibrary ops 3:1-3\nbinding g 3:38-3\n");
}

static void any_text_is_taken(void)
{
    check_cuda("", "");
    check_cuda("/* open\n__global__ void f() {}", "note 1\n");
    check_cuda("__global__", "");
    check_cuda("\n#if X\n__global__ void f(", "declared f 3:17-3\nnote 2\n");
    check_cuda("f<<<", "launch f 1:1-1\n");
    check_cuda("<<<1>>>(x); R\"(\n\\", "");
    check_cuda("__global__ void f() {", "kernel f 1:17-1\n");
    check_cuda("#define\n#define (\n#define A(\n#define B(x", "");
}

/* What the Python front end records as device code, read as CUDA. */
static void check_strings(const char *text, const char *expected)
{
    fh_unit unit;
    fh_buffer out = {0};
    fh_parser *parser = fh_parser_create();
    fh_unit_init(&unit, FH_UNIT_PYTHON, FH_TEXT("a.py"));
    CHECK(fh_python_read(parser, fh_text_from(text), &unit) == FH_OK);
    CHECK(fh_cuda_read_strings(fh_text_from(text), &unit) == FH_OK);
    for (uint32_t i = 1; i < unit.kernels.count; i++)
        if (unit.kernels.items[i].kind == FH_KERNEL_CUDA)
            fh_buffer_add_format(&out, "%.*s %u\n",
                                 FH_TEXT_ARGS(fh_unit_text(&unit, unit.kernels.items[i].name)),
                                 fh_unit_place(&unit, unit.kernels.items[i].offset).line);
    CHECK_TEXT(fh_buffer_text(&out), expected);
    fh_buffer_free(&out);
    fh_unit_free(&unit);
    fh_parser_destroy(parser);
}

static void python_strings(void)
{
    check_strings("s = r'''\n__global__ void a() {}\n'''\n", "a 2\n");
    check_strings("t = '__global__ void b() {} // c\\n__global__ void d() {}'\n", "b 1\nd 1\n");
    check_strings("t = \"__global__ void b(char c = \\\"x\\\") {}\"\n", "b 1\n");
    check_strings("t = f'__global__ void k() {{ a }} __global__ void l() {{ }}'\n", "k 1\nl 1\n");
    check_strings("# __global__ void k() {}\nx = '__global__'\n", "");
    /* Whatever part of an f-string holds it. */
    check_strings("t = f'__global__ void k() {{}} {x} more'\n", "k 1\n");
    check_strings("t = f'{y} __global__ void k({T} *a) {{ a[{i}] = 0; }} {x}'\n", "k 1\n");
    /* Strings that follow each other are one; what is between them is no code. */
    check_strings("t = ('__global__ void k() {'\n # it's } no code\n \"a = '}';\" r'b();}')\n",
                  "k 1\n");
    check_strings("t = ('x' f'{y}'\n'''__global__ void k()\n{ }''' '__global__ void l() {}' 'z')\n",
                  "k 2\nl 3\n");
    check_strings("t = (\"b\"\"__global__ void k() {}\\n\" f\"__global__ void l() {{ {x} }}\")\n",
                  "k 1\nl 1\n");
    check_strings("t = '__global__ void k();' '", "");
}

/* Issue 3: two kernels, scale and relu, and two launches on line 9. */
static void the_extension_of_the_cases(void)
{
    fh_buffer path = {0}, bytes = {0}, out = {0};
    fh_unit unit;
    if (shared_path("cases/08_cuda_ext/src/scale.cu", &path)) {
        CHECK(fh_file_read(path.data, 1 << 20, &bytes) == FH_OK);
        fh_unit_init(&unit, FH_UNIT_CUDA, FH_TEXT("scale.cu"));
        CHECK(fh_cuda_read(fh_buffer_text(&bytes), &unit) == FH_OK);
        add_lines(&unit, &out);
        CHECK_TEXT(fh_buffer_text(&out), "kernel scale 1:17-4\nkernel relu 6:40-8\n"
                                         "launch scale 9:29-9\nlaunch relu 9:73-9\n");
        fh_unit_free(&unit);
    }
    fh_buffer_free(&path);
    fh_buffer_free(&bytes);
    fh_buffer_free(&out);
}

static fh_status read_some(void *context)
{
    static const char text[] =
        "#define D(n) __global__ void n##_k()\n#if A\nD(a) { b<<<1, 2>>>(); }\n"
        "#endif\ncudaMalloc(p); at::cuda::x();\n";
    fh_unit unit;
    (void)context;
    fh_unit_init(&unit, FH_UNIT_CUDA, FH_TEXT("a.cu"));
    fh_status status = fh_cuda_read(fh_text_from(text), &unit);
    fh_unit_free(&unit);
    return status;
}

int main(void)
{
    TEST(kernels_in_all_their_forms);
    TEST(what_is_no_definition);
    TEST(macros_that_make_kernels);
    TEST(branches_keep_the_depth);
    TEST(launches);
    TEST(calls_headers_and_bindings);
    TEST(any_text_is_taken);
    TEST(python_strings);
    TEST(the_extension_of_the_cases);
    CHECK(sweep(read_some, NULL) > 10);
    return test_report();
}
