"""Arguments of aclnn operators: how they are read, and what the extract says."""

import re
import unittest

from verdict import EXTRACTS, ROOT, from_range, read_table

import call_sites
import cann_prototypes
import extract_aclnn_signatures as signatures


def calls(text):
    return [(name, signatures.spell(made), line) for name, made, line in call_sites.calls(text)]


class Calls(unittest.TestCase):
    def test_kinds_come_from_parameters_and_declarations(self):
        text = """
at::Tensor add(const at::Tensor& self, const c10::optional<at::Tensor>& bias, const at::Scalar& alpha,
               at::IntArrayRef dims, at::TensorList many, std::array<bool, 3> mask, double eps, bool keep) {
    // EXEC_NPU_CMD(aclnnNot, self);
    auto output_size = op_infer::broadcast_ops_npu_output_size(self, other);
    at::Tensor result = npu_preparation::apply_tensor_without_format(output_size, self.options());
    int64_t axis = 1;
    float eps_f = static_cast<float>(eps);
    char* mode = const_cast<char *>(name.data());
    EXEC_NPU_CMD(aclnnAdd, self, bias, alpha, dims, many, mask, eps, keep, axis, eps_f, mode,
                 self.scalar_type(), static_cast<int8_t>(1), result);
    return result;
}
"""
        self.assertEqual(calls(text), [(
            "aclnnAdd", "(in,self)(optional,bias)(number,alpha)(integers,dims)(list,many)(bools,mask)"
            "(real,eps)(boolean,keep)(integer,axis)(floating,eps_f)(text,mode)"
            "(dtype,self_scalar_type)(int8,static_cast_int8_t_1)(out,result)", 10)])

    def test_written_arguments(self):
        text = """at::Tensor& f(at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
            EXEC_NPU_CMD(aclnnInplaceF, self, other);
            EXEC_NPU_CMD(aclnnG, other, out); }"""
        self.assertEqual([made for _, made, _ in calls(text)],
                         ["(inout,self)(in,other)", "(in,other)(out,out)"])

    def test_what_is_not_known_is_said(self):
        text = "void f(const at::Tensor& self) { EXEC_NPU_CMD(aclnnF, self, mystery(self), 3); }"
        self.assertEqual(calls(text)[0][1], "(in,self)(?,mystery_self)(int32,3)")

    def test_the_workspace_that_a_caller_brings_is_no_argument(self):
        text = "void f(const at::Tensor& a) { EXEC_UPDATE_NPU_NO_FORMAT_CHECK_CMD(aclnnF, p, n, a); }"
        self.assertEqual(calls(text)[0][1], "(in,a)")

    def test_broken_text_ends(self):
        for text in ("", "void f(", "void f() { EXEC_NPU_CMD(aclnnF, a", "void f() { EXEC_NPU_CMD(aclnnF, a, )}"):
            list(call_sites.calls(text))

    def test_a_generated_call(self):
        entry = {"exec": "aclnnSqrt", "out": {"size": "self"}}
        self.assertEqual(signatures.structured("sqrt(Tensor self) -> Tensor", entry),
                         ("aclnnSqrt", [("in", "self"), ("out", "out")]))
        self.assertEqual(signatures.structured("sqrt_(Tensor(a!) self) -> Tensor(a!)",
                                               {"exec": "aclnnInplaceSqrt"}),
                         ("aclnnInplaceSqrt", [("inout", "self")]))
        entry = {"exec": "aclnnClamp, self, min, out", "out": {}}
        self.assertEqual(signatures.structured("clamp(Tensor self, Scalar? min=None) -> Tensor", entry),
                         ("aclnnClamp", [("in", "self"), ("number~", "min"), ("out", "out")]))


class Prototypes(unittest.TestCase):
    def read(self, text, path="x/aclnn_x.h"):
        return [(name, signatures.spell(made), absent, header)
                for name, made, absent, header in cann_prototypes.of_file(path, text)]

    def test_a_header(self):
        text = """/**
 * @param [in] self: a tensor
 * @param [in] bias: may be nullptr
 * @param [out] y: the result
 */
ACLNN_API aclnnStatus aclnnXGetWorkspaceSize(const aclTensor* self, const aclTensor *bias, double p,
    int8_t type, const char* mode, const aclTensor *y, aclTensor* z, uint64_t* workspaceSize,
    aclOpExecutor** executor);
"""
        self.assertEqual(self.read(text), [(
            "aclnnX", "(in,self)(optional,bias)(real,p)(int8,type)(text,mode)(out,y)(out,z)", {"bias"},
            "aclnn_x.h")])

    def test_in_place(self):
        text = ("aclnnStatus aclnnInplaceXGetWorkspaceSize(const aclTensor *selfRef, const aclScalar *v, "
                "uint64_t *workspaceSize, aclOpExecutor **executor);")
        self.assertEqual(self.read(text)[0][1], "(inout,selfRef)(number,v)")

    def test_an_unknown_type_is_left_out(self):
        text = "aclnnStatus aclnnXGetWorkspaceSize(Strange s, aclOpExecutor **executor);"
        self.assertEqual(self.read(text), [])

    def test_a_page_names_the_header(self):
        text = ("aclnnStatus aclnnXGetWorkspaceSize(const aclTensor *self, uint64_t *workspaceSize, "
                'aclOpExecutor **executor)\n#include "aclnnop/aclnn_xs.h"')
        self.assertEqual(self.read(text, "docs/aclnnX.md")[0][3], "aclnn_xs.h")

    def test_calls_refine_a_prototype(self):
        made = [("in", "a"), ("out", "mean"), ("out", "y")]
        site = [("optional", "a"), ("optional", "mean"), ("out", "y")]
        self.assertEqual(signatures.refine(made, [site]), [("optional", "a"), ("inout", "mean"), ("out", "y")])


class Extract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        _, rows = read_table(EXTRACTS / "aclnn-signatures.tsv")
        cls.rows = {row["aclnn"]: row for row in rows}

    def test_every_name_of_the_wheel_is_listed(self):
        provenance, rows = read_table(EXTRACTS / "torch_npu-aclnn.tsv")
        minors = re.search(r"minors=([\d.,]+)", provenance)[1].split(",")
        names = {row["aclnn"] for row in rows if "2.13" in from_range(row["releases"], minors)}
        self.assertGreater(len(names), 900)
        self.assertEqual({n for n, row in self.rows.items() if row["torch_npu"] == "yes"}, names)

    def test_most_are_declared_by_cann(self):
        certain = [row["certainty"] for row in self.rows.values() if row["torch_npu"] == "yes"]
        self.assertGreaterEqual(sum(c in ("header", "documented") for c in certain), 800)
        self.assertLessEqual(certain.count("none"), 12)
        self.assertLessEqual(certain.count("inferred"), 2)

    def test_some_read_by_hand(self):
        # hiascend.com, CANN 8 and 9 operator reference, and ggml-cann's calls.
        for name, header, arguments in (
                ("aclnnAdd", "aclnn_add.h", "(in,self)(in,other)(number,alpha)(out,out)"),
                ("aclnnInplaceAdds", "aclnn_add.h", "(inout,selfRef)(number,other)(number,alpha)"),
                ("aclnnCast", "aclnn_cast.h", "(in,self)(dtype,dtype)(out,out)"),
                ("aclnnMatmul", "aclnn_matmul.h", "(in,self)(in,mat2)(out,out)(int8,cubeMathType)"),
                ("aclnnSoftmax", "aclnn_softmax.h", "(in,self)(integer,dim)(out,out)"),
                ("aclnnTopk", "aclnn_topk.h", "(in,self)(integer,k)(integer,dim)(boolean,largest)"
                 "(boolean,sorted)(out,valuesOut)(out,indicesOut)"),
                ("aclnnRmsNorm", "aclnn_rms_norm.h",
                 "(in,x)(in,gamma)(real,epsilon)(out,yOut)(out,rstdOut)")):
            self.assertEqual((self.rows[name]["header"], self.rows[name]["arguments"]), (header, arguments))

    def test_rows_of_ops_def_have_the_arguments_of_cann(self):
        plain = {"optional": "in", "sized": "out", "inout": "out", "optional_out": "out",
                 "optional_inout": "out"}

        def shape(text):
            return [plain.get(kind, kind.removeprefix("optional_"))
                    for kind in re.findall(r"\((\w+),", text)]
        rows = re.findall(r"^OP\((\w+), (\w+), ((?:\(\w+, ?\w+\))+)",
                          (ROOT / "facts/ops.def").read_text(), flags=re.M)
        self.assertTrue(rows)
        for name, header, arguments in rows:
            row = self.rows[name]
            self.assertEqual(shape(arguments), shape(row["arguments"]), name)
            if row["header"] != "-":
                self.assertEqual(header + ".h", row["header"], name)

    def test_every_row_can_be_declared(self):
        kinds = set()
        for row in self.rows.values():
            if row["certainty"] in ("header", "documented"):
                self.assertRegex(row["arguments"], r"^(?:\(\w+,\w+\))+$", row["aclnn"])
                kinds |= set(re.findall(r"\((\w+),", row["arguments"]))
        self.assertIn("floating", kinds)
        self.assertNotIn("?", kinds)


if __name__ == "__main__":
    unittest.main()
