// A PrivateUse1 device in host memory that notes every overload the dispatcher looks up on it.
//
// trace_torch.py loads this beside torch to learn what a backend must provide. Overloads given to
// tracer_register() behave as kernels of that backend: they are noted, then computed on the CPU.
// All others take torch's own generic kernels and decompositions, and reach the fallback (noted as
// well) where torch has only kernels of other backends. Nothing of this is product code.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/GeneratorForPrivateuseone.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <vector>

using at::Tensor;
using c10::DispatchKey;
using c10::IntArrayRef;

namespace
{

constexpr auto kDevice = c10::DeviceType::PrivateUse1;
constexpr c10::DispatchKeySet kKeys(DispatchKey::PrivateUse1);

// Autograd runs backward kernels on a thread of its own, so the log is shared and the mute is not.
std::mutex g_lock;
std::vector<std::string> g_log;
thread_local int g_mute = 0;

struct Mute {
    Mute()
    {
        ++g_mute;
    }
    ~Mute()
    {
        --g_mute;
    }
};

void note(const std::string &overload)
{
    if (g_mute)
        return;
    std::lock_guard<std::mutex> hold(g_lock);
    g_log.push_back(overload);
}

std::string overload_name(const c10::OperatorHandle &op)
{
    const auto &name = op.operator_name();
    std::string text = name.name.compare(0, 6, "aten::") ? name.name : name.name.substr(6);
    return name.overload_name.empty() ? text : text + "." + name.overload_name;
}

// ---- memory, guard, hooks ----

void release(void *memory)
{
    std::free(memory);
}

struct HostAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t bytes) override
    {
        void *memory = bytes ? std::aligned_alloc(64, (bytes + 63) / 64 * 64) : nullptr;
        TORCH_CHECK(memory || !bytes, "trace device: out of memory");
        return {memory, memory, &release, c10::Device(kDevice, 0)};
    }
    c10::DeleterFnPtr raw_deleter() const override
    {
        return &release;
    }
    void copy_data(void *to, const void *from, size_t bytes) const override
    {
        std::memcpy(to, from, bytes);
    }
} g_allocator;
REGISTER_ALLOCATOR(kDevice, &g_allocator);

// One device with one stream; work is done when its call returns, so events record nothing.
struct Guard final : c10::impl::DeviceGuardImplInterface {
    static constexpr c10::DeviceType static_type = kDevice;
    static c10::Device device()
    {
        return c10::Device(kDevice, 0);
    }
    static c10::Stream stream()
    {
        return c10::Stream(c10::Stream::DEFAULT, device());
    }
    c10::DeviceType type() const override
    {
        return kDevice;
    }
    c10::Device exchangeDevice(c10::Device) const override
    {
        return device();
    }
    c10::Device getDevice() const override
    {
        return device();
    }
    void setDevice(c10::Device) const override
    {
    }
    void uncheckedSetDevice(c10::Device) const noexcept override
    {
    }
    c10::Stream getStream(c10::Device) const override
    {
        return stream();
    }
    c10::Stream getDefaultStream(c10::Device) const override
    {
        return stream();
    }
    c10::Stream getNewStream(c10::Device, int) const override
    {
        return stream();
    }
    c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override
    {
        return stream();
    }
    c10::Stream exchangeStream(c10::Stream) const override
    {
        return stream();
    }
    c10::DeviceIndex deviceCount() const noexcept override
    {
        return 1;
    }
    bool queryStream(const c10::Stream &) const override
    {
        return true;
    }
    void synchronizeStream(const c10::Stream &) const override
    {
    }
    void synchronizeDevice(c10::DeviceIndex) const override
    {
    }
    void record(void **, const c10::Stream &, c10::DeviceIndex, c10::EventFlag) const override
    {
    }
    void block(void *, const c10::Stream &) const override
    {
    }
    bool queryEvent(void *) const override
    {
        return true;
    }
    void synchronizeEvent(void *) const override
    {
    }
    void destroyEvent(void *, c10::DeviceIndex) const noexcept override
    {
    }
    void recordDataPtrOnStream(const c10::DataPtr &, const c10::Stream &) const override
    {
    }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Generator final : at::CPUGeneratorImpl {
    Generator()
    {
        device_ = c10::Device(kDevice, 0);
        key_set_ = kKeys;
    }
};

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }
    bool isAvailable() const override
    {
        return true;
    }
    bool hasPrimaryContext(c10::DeviceIndex) const override
    {
        return true;
    }
    c10::DeviceIndex deviceCount() const override
    {
        return 1;
    }
    c10::DeviceIndex getCurrentDevice() const override
    {
        return 0;
    }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override
    {
        return 0;
    }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override
    {
        return 0;
    }
    void setCurrentDevice(c10::DeviceIndex) const override
    {
    }
    const at::Generator &getDefaultGenerator(c10::DeviceIndex) const override
    {
        static at::Generator generator = at::make_generator<Generator>();
        return generator;
    }
    at::Generator getNewGenerator(c10::DeviceIndex) const override
    {
        return at::make_generator<Generator>();
    }
    at::Device getDeviceFromPtr(void *) const override
    {
        return c10::Device(kDevice, 0);
    }
    bool isPinnedPtr(const void *) const override
    {
        return false;
    }
    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t bytes) const override
    {
        auto grown = g_allocator.allocate(bytes);
        if (storage.data() && bytes)
            std::memcpy(grown.get(), storage.data(), std::min(bytes, storage.nbytes()));
        storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(grown));
        storage.unsafeGetStorageImpl()->set_nbytes(bytes);
    }
};

struct RegisterHooks {
    RegisterHooks()
    {
        at::RegisterPrivateUse1HooksInterface(new Hooks);
    }
} g_register_hooks;

// ---- kernels that create tensors or give a new view of one ----

Tensor on_cpu(const Tensor &tensor)
{
    if (tensor.is_cpu())
        return tensor;
    return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                         tensor.options().device(at::kCPU));
}

Tensor empty_memory_format(IntArrayRef size, std::optional<at::ScalarType> dtype,
                           std::optional<at::Layout>, std::optional<at::Device>,
                           std::optional<bool>, std::optional<at::MemoryFormat> format)
{
    note("empty.memory_format");
    return at::detail::empty_generic(size, &g_allocator, kKeys, c10::dtype_or_default(dtype),
                                     format);
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<at::ScalarType> dtype,
                     std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>)
{
    note("empty_strided");
    return at::detail::empty_strided_generic(size, stride, &g_allocator, kKeys,
                                             c10::dtype_or_default(dtype));
}

Tensor as_strided(const Tensor &self, IntArrayRef size, IntArrayRef stride,
                  std::optional<int64_t> offset)
{
    note("as_strided");
    return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

Tensor view(const Tensor &self, c10::SymIntArrayRef size)
{
    note("view");
    return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

Tensor reshape_alias(const Tensor &self, IntArrayRef size, IntArrayRef stride)
{
    note("_reshape_alias");
    return at::native::_reshape_alias(self, size, stride);
}

Tensor unfold(const Tensor &self, int64_t dim, int64_t size, int64_t step)
{
    note("unfold");
    return at::native::unfold(self, dim, size, step);
}

Tensor view_as_real(const Tensor &self)
{
    note("view_as_real");
    return at::native::view_as_real(self);
}

Tensor view_as_complex(const Tensor &self)
{
    note("view_as_complex");
    return at::native::view_as_complex(self);
}

const Tensor &resize_(const Tensor &self, c10::SymIntArrayRef size,
                      std::optional<at::MemoryFormat> format)
{
    note("resize_");
    return at::native::resize_(self, C10_AS_INTARRAYREF_SLOW(size), format);
}

Tensor &set_storage_offset(Tensor &self, at::Storage storage, int64_t offset, IntArrayRef size,
                           IntArrayRef stride)
{
    note("set_.source_Storage_storage_offset");
    return at::native::set_storage_cpu_(self, storage, offset, size, stride);
}

Tensor &set_storage(Tensor &self, at::Storage storage)
{
    note("set_.source_Storage");
    return at::native::set_(self, storage);
}

Tensor &set_tensor(Tensor &self, const Tensor &source)
{
    note("set_.source_Tensor");
    return at::native::set_tensor_(self, source);
}

at::Scalar local_scalar_dense(const Tensor &self)
{
    note("_local_scalar_dense");
    return at::native::_local_scalar_dense_cpu(on_cpu(self));
}

// Stands for the backend's own copy_: torch's generic copy_ ends here for tensors of this device.
Tensor copy_from(const Tensor &self, const Tensor &to, bool)
{
    note("copy_");
    Tensor source = on_cpu(self), target = on_cpu(to);
    source._set_conj(self.is_conj());
    source._set_neg(self.is_neg());
    target._set_conj(to.is_conj());
    target._set_neg(to.is_neg());
    target.copy_(source);
    return to;
}

Tensor copy_from_and_resize(const Tensor &self, const Tensor &to)
{
    to.resize_(self.sizes());
    on_cpu(to).copy_(on_cpu(self));
    return to;
}

Tensor back(const Tensor &tensor)
{
    return tensor.defined() ? tensor.to(c10::Device(kDevice, 0)) : tensor;
}

Tensor convolution_overrideable(const Tensor &input, const Tensor &weight,
                                const std::optional<Tensor> &bias, IntArrayRef stride,
                                IntArrayRef padding, IntArrayRef dilation, bool transposed,
                                IntArrayRef output_padding, int64_t groups)
{
    note("convolution_overrideable");
    Mute mute;
    std::optional<Tensor> host_bias;
    if (bias && bias->defined())
        host_bias = on_cpu(*bias);
    return back(at::convolution(on_cpu(input), on_cpu(weight), host_bias, stride, padding, dilation,
                                transposed, output_padding, groups));
}

std::tuple<Tensor, Tensor, Tensor>
convolution_backward_overrideable(const Tensor &grad, const Tensor &input, const Tensor &weight,
                                  IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                  bool transposed, IntArrayRef output_padding, int64_t groups,
                                  std::array<bool, 3> mask)
{
    note("convolution_backward_overrideable");
    Mute mute;
    std::vector<int64_t> bias_size{grad.size(1)};
    auto grads = at::convolution_backward(on_cpu(grad.contiguous()), on_cpu(input), on_cpu(weight),
                                          bias_size, stride, padding, dilation, transposed,
                                          output_padding, groups, mask);
    return {back(std::get<0>(grads)), back(std::get<1>(grads)), back(std::get<2>(grads))};
}

// ---- boxed kernels ----

void drop_generators(const c10::FunctionSchema &schema, torch::jit::Stack *stack)
{
    size_t count = schema.arguments().size();
    for (size_t i = 0; i < count; ++i) {
        auto &value = (*stack)[stack->size() - count + i];
        if (value.isGenerator())
            value = c10::IValue();
    }
}

void leaf(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    note(overload_name(op));
    Mute mute;
    // torch's generic kernel where there is one: it keeps views views, and copies on this device.
    if (op.hasKernelForDispatchKey(DispatchKey::CompositeExplicitAutograd)) {
        op.callBoxedForDispatchKey(DispatchKey::CompositeExplicitAutograd, *stack);
        return;
    }
    drop_generators(op.schema(), stack);
    at::native::cpu_fallback(op, stack);
}

// A composite overload that the backend replaces: the backend has its own backward, which torch
// does not know; torch's decomposition stands in for it.
void replaced_composite(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    note(overload_name(op));
    Mute mute;
    op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, *stack);
}

// Overloads with a kernel in the block below; copy_ is noted where its generic kernel ends.
std::set<std::string> g_own = {"copy_"};
std::vector<std::unique_ptr<torch::Library>> g_libraries;

} // namespace

#define OWN(name, function) g_own.insert(name), m.impl(name, TORCH_FN(function))

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    OWN("empty.memory_format", empty_memory_format);
    OWN("empty_strided", empty_strided);
    OWN("as_strided", as_strided);
    OWN("view", view);
    OWN("_reshape_alias", reshape_alias);
    OWN("unfold", unfold);
    OWN("view_as_real", view_as_real);
    OWN("view_as_complex", view_as_complex);
    OWN("resize_", resize_);
    OWN("set_.source_Storage_storage_offset", set_storage_offset);
    OWN("set_.source_Storage", set_storage);
    OWN("set_.source_Tensor", set_tensor);
    OWN("_local_scalar_dense", local_scalar_dense);
    OWN("_copy_from", copy_from);
    OWN("_copy_from_and_resize", copy_from_and_resize);
    OWN("convolution_overrideable", convolution_overrideable);
    OWN("convolution_backward_overrideable", convolution_backward_overrideable);
}

// copy_from handles lazy conjugation and negation itself, as copy_ does.
TORCH_LIBRARY_IMPL(aten, Conjugate, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&leaf>());
}

extern "C" __attribute__((visibility("default"))) void tracer_clear()
{
    std::lock_guard<std::mutex> hold(g_lock);
    g_log.clear();
}

// The log so far, one overload a line; valid until the next call from the same thread.
extern "C" __attribute__((visibility("default"))) const char *tracer_log()
{
    static thread_local std::string text;
    std::lock_guard<std::mutex> hold(g_lock);
    text.clear();
    for (const auto &line : g_log)
        text += line + "\n";
    return text.c_str();
}

// Makes `overload` a kernel of this device; 0 when it has one of its own above.
extern "C" __attribute__((visibility("default"))) int tracer_register(const char *overload,
                                                                      int composite)
{
    if (g_own.count(overload))
        return 0;
    auto add = [&](DispatchKey key) {
        g_libraries.push_back(std::make_unique<torch::Library>(torch::Library::IMPL, "aten", key,
                                                               __FILE__, __LINE__));
        g_libraries.back()->impl(
            overload, composite ? torch::CppFunction::makeFromBoxedFunction<&replaced_composite>()
                                : torch::CppFunction::makeFromBoxedFunction<&leaf>());
    };
    add(DispatchKey::PrivateUse1);
    if (composite)
        add(DispatchKey::AutogradPrivateUse1);
    return 1;
}
