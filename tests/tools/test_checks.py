"""Each check of tools/ passes a good tree and fails, naming the place, on a bad one."""

import pathlib
import shutil
import subprocess
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False,
                          **options)
    return done.returncode, done.stdout + done.stderr


class Tree(unittest.TestCase):
    """A small tree of our shape in a temporary folder."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def assert_fails(self, result, part):
        code, said = result
        self.assertEqual(code, 1, said)
        self.assertIn(part, said)


class Layers(Tree):
    def setUp(self):
        super().setUp()
        (self.root / "tools").mkdir()
        shutil.copy(TOOLS / "layers.txt", self.root / "tools")
        self.write("base/text.h", "#include <string.h>\n")
        self.write("os/file.c", '#include "base/text.h"\n#include <unistd.h>\n')
        self.write("analyse/scan/walk.c", '#include "os/file.h"\n')

    def check(self):
        return run(TOOLS / "layers", "--root", self.root)

    def test_a_good_tree_passes(self):
        self.assertEqual(self.check()[0], 0)

    def test_an_upward_include_fails(self):
        self.write("base/text.c", '#include "base/text.h"\n\n#include "os/file.h"\n')
        self.assert_fails(self.check(), "base/text.c:3: includes os/file.h: os is above base")

    def test_a_sibling_include_fails(self):
        self.write("analyse/model/cost.h", '  #  include "analyse/scan/walk.h"\n')
        self.assert_fails(self.check(), "analyse/scan is beside analyse/model")

    def test_a_system_call_outside_of_os_fails(self):
        self.write("analyse/scan/walk.h", "#include <sys/stat.h>\n")
        self.assert_fails(self.check(), "analyse/scan/walk.h:1: includes sys/stat.h")

    def test_a_library_outside_of_its_layer_fails(self):
        self.write("analyse/cli/x.c", "#include <tree_sitter/api.h>\n")
        self.assert_fails(self.check(), "that header belongs to analyse/scan")

    def test_threads_only_where_listed(self):
        self.write("facts/table.c", "#include <pthread.h>\n")
        self.assertEqual(self.check()[0], 0)
        self.write("facts/soc.c", "#include <pthread.h>\n")
        self.assert_fails(self.check(), "facts/soc.c:1: includes pthread.h")

    def test_a_path_that_is_not_from_the_root_fails(self):
        self.write("os/thread.c", '#include "../base/text.h"\n')
        self.assert_fails(self.check(), "named from the root")

    def test_a_folder_without_a_layer_fails(self):
        self.write("analyse/other/x.c", "#include <stdio.h>\n")
        self.assert_fails(self.check(), "analyse/other/x.c:1")

    def test_an_empty_tree_is_an_error(self):
        shutil.rmtree(self.root / "base")
        shutil.rmtree(self.root / "os")
        shutil.rmtree(self.root / "analyse")
        self.assertNotEqual(self.check()[0], 0)


class Exports(Tree):
    def build(self, library="int fh_x(void) { return 0; }", program="", flags=()):
        self.write("x.c", library)
        self.write("main.c", program + "\nint fh_x(void); int main(void) { return fh_x(); }")
        for command in (["gcc", "-c", "x.c", "-o", "x.o"], ["ar", "rc", "libx.a", "x.o"],
                        ["gcc", "-fvisibility=hidden", "main.c", "libx.a", "-o", "foothold", *flags]):
            self.assertEqual(run(*command, cwd=self.root), (0, ""))
        return run(TOOLS / "exports", "--root", self.root, self.root)

    def test_good_names_pass(self):
        self.assertEqual(self.build()[0], 0)

    def test_a_name_without_our_prefix_fails(self):
        self.assert_fails(self.build("int fh_x(void) { return 0; } int helper;"),
                          "libx.a: defines helper")

    def test_statics_do_not_count(self):
        self.assertEqual(self.build("static int helper; int fh_x(void) { return helper; }")[0], 0)

    def test_a_program_that_exports_fails(self):
        self.assert_fails(
            self.build(program='__attribute__((visibility("default"))) int fh_seen = 1;',
                       flags=["-rdynamic"]), "foothold: exports fh_seen")

    def build_device(self, source):
        self.write("include/acl/acl.h", """\
            /* aclGone() was here. */
            #define ACL_CALL(x) aclMacro(x)
            aclError aclInit(const char *path); // not aclLate()
            aclError
                rtKernelLaunch(const void *stub,
                               uint32_t blocks);
            int HcclInit (void);
            """)
        self.write("facts/ops.def", "/* rows */\nOP(aclnnAdd, aclnn_add, (in,self), same, add, ALL)\n")
        self.write("facts/extracts/torch_npu-symbols.tsv",
                   "# from\nsymbol\thow\tlibrary\tlinked_by\naclInit\tlinked\t-\tx.so\n"
                   "aclOther\tlooked_up\tlibascendcl\t-\n")
        self.write("device.c", source)
        (self.root / "npu").mkdir(exist_ok=True)
        for command in (["gcc", "-c", "-fPIC", "device.c", "-o", "device.o"],
                        ["rm", "-f", "libdevice_abi.a"],
                        ["ar", "rc", "libdevice_abi.a", "device.o"],
                        ["gcc", "-shared", "device.o", "-o", "npu/libfoothold_npu.so"]):
            self.assertEqual(run(*command, cwd=self.root), (0, ""))
        return self.build()

    def test_the_device_has_names_of_cann(self):
        self.assertEqual(self.build_device("int aclInit, aclnnAdd, aclnnAddGetWorkspaceSize, "
                                           "rtKernelLaunch, HcclInit;")[0], 0)
        self.assert_fails(self.build_device("int aclInit, sgemm_;"),
                          "npu/libfoothold_npu.so: exports sgemm_")
        self.assert_fails(self.build_device("int aclInit, fh_x;"),
                          "npu/libfoothold_npu.so: exports fh_x")

    def test_a_name_of_cann_that_nothing_promises_fails(self):
        for name in ("aclnnSub", "aclnnAddV2", "aclGone", "aclMacro", "aclLate", "aclOther"):
            self.assert_fails(self.build_device(f"int aclInit, {name};"),
                              f"npu/libfoothold_npu.so: exports {name}, which no header")

    def test_a_symbol_that_the_wheel_is_linked_with_and_is_missing_fails(self):
        self.assert_fails(self.build_device("int aclnnAdd;"),
                          "npu/libfoothold_npu.so: does not export aclInit, which torch_npu")
        # Ours and hidden from others is missing, too.
        self.assert_fails(
            self.build_device('__attribute__((visibility("hidden"))) int aclInit; int aclnnAdd;'),
            "does not export aclInit")

    def test_only_the_device_has_names_of_cann(self):
        self.assert_fails(self.build("int fh_x(void) { return 0; } int aclInit;"),
                          "libx.a: defines aclInit")

    def test_nothing_built_is_an_error(self):
        code, said = run(TOOLS / "exports", self.root)
        self.assertNotEqual(code, 0)
        self.assertIn("build first", said)


class Format(Tree):
    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / ".clang-format", self.root)
        self.write("a/x.c", "int x;\n")

    def test_formatted_files_pass(self):
        self.assertEqual(run(TOOLS / "format", "--root", self.root)[0], 0)

    def test_a_file_that_is_not_fails_and_can_be_fixed(self):
        self.write("a/y.h", "int  y ;\n")
        self.assert_fails(run(TOOLS / "format", "--root", self.root), "a/y.h:1: ")
        self.assertEqual(run(TOOLS / "format", "--fix", "--root", self.root)[0], 0)
        self.assertEqual((self.root / "a/y.h").read_text(), "int y;\n")
        self.assertEqual(run(TOOLS / "format", "--root", self.root)[0], 0)

    def test_what_is_built_or_installed_does_not_count(self):
        self.write("build/x.c", "int  y ;\n")
        self.write("web/node_modules/x.cpp", "int  y ;\n")
        self.assertEqual(run(TOOLS / "format", "--root", self.root)[0], 0)


class Generated(Tree):
    def setUp(self):
        super().setUp()
        for folder in ("tools/facts", "facts/extracts", "facts/support"):
            shutil.copytree(ROOT / folder, self.root / folder)
        shutil.copytree(ROOT / "include/aclnnop", self.root / "include/aclnnop")
        shutil.copy(ROOT / "facts/ops.def", self.root / "facts")
        shutil.copy(TOOLS / "aclnn_headers", self.root / "tools")
        self.write("device/rt/op.h", (ROOT / "device/rt/op.h").read_text())

    def test_up_to_date_files_pass(self):
        self.assertEqual(run(TOOLS / "generated", "--root", self.root)[0], 0)

    def test_a_file_edited_by_hand_fails(self):
        path = self.root / "facts/support/alias.tsv"
        path.write_text(path.read_text() + "torch.zzz\ttorch.add\n")
        self.assert_fails(run(TOOLS / "generated", "--root", self.root), "alias.tsv")

    def test_a_header_that_no_row_gives_fails(self):
        self.write("include/aclnnop/aclnn_zzz.h", "\n")
        self.assert_fails(run(TOOLS / "generated", "--root", self.root), "aclnn_zzz.h")


class Docs(Tree):
    def setUp(self):
        super().setUp()
        self.write("analyse/rules/rules.def",
                   'RULE(101, COMPUTE, TENSORS, NOTE, "small matrix",\n     "Pad.", "Why.")\n')
        self.write("analyse/cli/flags.def", self.flags_with_devices("8"))
        self.write("device/rt/options.h", '#define FH_OPTION_MAP(X) \\\n'
                   '    X(DEVICES, "FOOTHOLD_DEVICES", "8", "how many") \\\n'
                   '    X(MEMORY, "FOOTHOLD_MEMORY", "", "of each")\n')
        self.write("facts/ops.def", "OP(aclnnAdd, a)\nOP(aclnnSub, b)\n")
        self.write("docs/device.md", "| `FOOTHOLD_DEVICES` | `8` | how many |\n"
                                     "| `FOOTHOLD_MEMORY` |  | of each |\n\nover 2 aclnn operators\n")
        self.write("docs/rules/FH101.md", "# FH101: small matrix\n")
        self.write("README.md", "See [the rule](docs/rules/FH101.md).\n\n"
                                "    foothold\n\n`foothold analyze --format json`\n")

    @staticmethod
    def flags_with_devices(default):
        return ('FLAG("format", 0, CHOICE, format)\n\nFLAG("devices", 0, DEVICES, devices, "N", "' +
                default + '", "FOOTHOLD_DEVICES",\n    DEVICE, ON(RUN),\n    "How many", "")\n')

    def check(self):
        return run(TOOLS / "docs", "--root", self.root)

    def test_a_good_tree_passes(self):
        self.assertEqual(self.check()[0], 0)

    def test_quotes_in_a_title(self):
        self.write("analyse/rules/rules.def", 'RULE(101, DEVICE, DEVICES, NOTE, "name \\"cuda\\"", "a", "b")\n')
        self.write("docs/rules/FH101.md", '# FH101: name "cuda"\n')
        self.assertEqual(self.check()[0], 0)

    def test_a_rule_without_a_page_fails(self):
        (self.root / "docs/rules/FH101.md").unlink()
        self.assert_fails(self.check(), "docs/rules/FH101.md: missing")

    def test_a_page_without_a_rule_fails(self):
        self.write("docs/rules/FH102.md", "# FH102\n")
        self.assert_fails(self.check(), "FH102.md: there is no such rule")

    def test_a_page_with_another_title_fails(self):
        self.write("docs/rules/FH101.md", "# FH101: large matrix\n")
        self.assert_fails(self.check(), 'the title of FH101 is "small matrix"')

    def test_an_unknown_flag_fails(self):
        self.write("docs/x.md", "```\n./check --nightly\nfoothold analyze --formt json | jq --raw\n```\n")
        self.assert_fails(self.check(), "docs/x.md:3: foothold has no flag --formt")

    def test_a_flag_of_a_program_that_is_run(self):
        self.write("docs/x.md", "    x\n```\nfoothold run --devices 2 -- python x.py --compare\n```\n")
        self.assertEqual(self.check()[0], 0)
        self.write("docs/x.md", "```\nfoothold run --devics 2 -- python x.py\n```\n")
        self.assert_fails(self.check(), "docs/x.md:2: foothold has no flag --devics")

    def test_a_table_of_variables_that_differs_fails(self):
        page = self.root / "docs/device.md"
        whole = page.read_text()
        page.write_text(whole.replace("`8`", "`9`"))
        self.assert_fails(self.check(), "no such variable: | `FOOTHOLD_DEVICES` | `9` |")
        page.write_text(whole.replace("| `FOOTHOLD_MEMORY` |  | of each |\n", ""))
        self.assert_fails(self.check(), "lacks the row | `FOOTHOLD_MEMORY` |")
        page.unlink()
        self.assert_fails(self.check(), "lacks the row | `FOOTHOLD_DEVICES` |")

    def test_a_default_that_differs_fails(self):
        self.write("analyse/cli/flags.def", self.flags_with_devices("4"))
        self.assert_fails(self.check(), "--devices is 4 by default, FOOTHOLD_DEVICES is 8")

    def test_a_wrong_number_of_operators_fails(self):
        for count in (1, 100):
            self.write("facts/ops.def", "OP(aclnnAdd, a)\n" * count)
            self.assert_fails(self.check(), f"facts/ops.def has {count} aclnn operators")

    def test_a_dead_link_fails(self):
        self.write("docs/x.md", "[there](rules/FH101.md#why) [not there](gone.md)\n")
        self.assert_fails(self.check(), "docs/x.md:1: the link gone.md leads nowhere")


if __name__ == "__main__":
    unittest.main()
