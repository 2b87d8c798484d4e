#include "analyse/scan/requirements.h"
#include "tests/unit/scan_settings.h"

static void check(const char *text, const char *expected)
{
    check_settings(FH_SOURCE_REQUIREMENTS, text, expected);
}

/* Expected parts as packaging 26.4 gives them. */
static void names_and_versions(void)
{
    check("torch\n", "req 1:1 torch=\n");
    check("Flash_Attn.Rotary >= 2.1, < 3 # why\n", "req 1:1 flash-attn-rotary=>=2.1,<3\n");
    check("  torch==2.1.0+cu118\r\nnumpy\r\n", "req 1:3 torch===2.1.0+cu118\nreq 2:1 numpy=\n");
    check("transformers[torch, sentencepiece] ~= 4.30\n",
          "req 1:1 transformers=[torch,sentencepiece]~=4.30\n");
    check("a (>=1.0)\n", "req 1:1 a=>=1.0\n");
    check("a; python_version < '3.8'\n", "req 1:1 a=; python_version < '3.8'\n");
    check("a===1.0\n", "req 1:1 a====1.0\n");
    check("a#b\n", "note 1 not a requirement: a#b\n");
}

static void places(void)
{
    check("apex @ git+https://github.com/NVIDIA/apex.git@abc ; extra == 'x'\n",
          "req 1:1 apex=@ git+https://github.com/NVIDIA/apex.git@abc ; extra == 'x'\n");
    check("git+https://github.com/NVIDIA/apex.git@abc\n",
          "req 1:1 apex=@ git+https://github.com/NVIDIA/apex.git@abc\n");
    check("git+ssh://git@h/x/y#egg=Some_Name&subdirectory=z\n",
          "req 1:1 some-name=@ git+ssh://git@h/x/y#egg=Some_Name&subdirectory=z\n");
    check("https://h/flash_attn-2.5.8+cu122-cp310-linux_x86_64.whl\n",
          "req 1:1 flash-attn=@ https://h/flash_attn-2.5.8+cu122-cp310-linux_x86_64.whl\n");
    check("-e .\n./local\n", "key 1:1 editable=.\nkey 2:1 local=./local\n");
    check("-e git+https://h/x.git\n", "req 1:1 x=@ git+https://h/x.git\n");
}

static void options_and_lines(void)
{
    check("-r base.txt\n--requirement=dev.txt\n-cpins.txt\n",
          "key 1:1 requirement=base.txt\nkey 2:1 requirement=dev.txt\n"
          "key 3:1 constraint=pins.txt\n");
    check("--extra-index-url https://download.pytorch.org/whl/cu118\n--pre\n-i https://p/simple\n",
          "key 1:1 extra-index-url=https://download.pytorch.org/whl/cu118\n"
          "key 3:1 index-url=https://p/simple\n");
    check("a==1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nb\n",
          "req 1:1 a===1\nreq 4:1 b=\n");
    check("a \\\n  >=1\n", "req 1:1 a=>=1\n");
    check("# -r x\n\n#torch\n", "");
    check("a\\", "req 1:1 a=\n");
    check("--hash\n-\n-r\n", "key 3:1 requirement=\n");
    check("???\n", "note 1 not a requirement: ???\n");
}

static void values_come_apart(void)
{
    fh_requirement r;
    fh_requirement_split(FH_TEXT("[a,b]>=1,<2; python_version < '3'"), &r);
    CHECK_TEXT(r.extras, "a,b");
    CHECK_TEXT(r.specifier, ">=1,<2");
    CHECK_TEXT(r.marker, "python_version < '3'");
    fh_requirement_split(FH_TEXT("@ git+https://h/a;b ; x"), &r);
    CHECK_TEXT(r.url, "git+https://h/a;b");
    CHECK_TEXT(r.marker, "x");
    fh_requirement_split(FH_TEXT(""), &r);
    CHECK_TEXT(r.specifier, "");
}

int main(void)
{
    TEST(names_and_versions);
    TEST(places);
    TEST(options_and_lines);
    TEST(values_come_apart);
    return test_report();
}
