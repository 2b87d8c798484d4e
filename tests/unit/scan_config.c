#include "tests/unit/scan_settings.h"
#include "tests/unit/sweep.h"

static void json(void)
{
    check_settings(FH_SOURCE_JSON,
                   "{\"zero_optimization\": {\"stage\": 2},\n \"fp16\": {\"enabled\": true},\n"
                   " \"a\": [1, {\"b\": null}, \"x\\ny\"]}",
                   "key 1:33 zero_optimization.stage=2\nkey 2:22 fp16.enabled=true\n"
                   "key 3:8 a.0=1\nkey 3:17 a.1.b=null\nkey 3:24 a.2=x\ny\n");
    check_settings(FH_SOURCE_JSON, "{\n // a \"comment\"\n \"a\": 1, /* b */ \"c\": [2,],\n}\n",
                   "key 3:7 a=1\nkey 3:24 c.0=2\n"
                   "note 2 not strict JSON: comments and last commas are passed over\n");
    check_settings(FH_SOURCE_JSON, "{\"u\": \"http://x/*y*/\"}", "key 1:7 u=http://x/*y*/\n");
    check_settings(FH_SOURCE_JSON, "{\"containerEnv\": {\"A\": \"1\"}}",
                   "key 1:24 containerEnv.A=1\nenv 1:24 A=1\n");
    check_settings(FH_SOURCE_JSON, "7", "key 1:1 =7\n");
    fh_unit unit;
    fh_unit_init(&unit, FH_UNIT_CONFIG, FH_TEXT("a.json"));
    CHECK(fh_config_read(FH_SOURCE_JSON, FH_TEXT("{\"a\": 1"), &unit) == FH_OK);
    CHECK(unit.settings.count == 1 && unit.notes.count == 2);
    fh_unit_free(&unit);
}

static void yaml(void)
{
    check_settings(FH_SOURCE_YAML,
                   "# c\ncompute_environment: LOCAL\ndeepspeed_config:\n  zero_stage: 3\n"
                   "list: [a, {b: 1}]\nempty:\n",
                   "key 2:22 compute_environment=LOCAL\nkey 4:15 deepspeed_config.zero_stage=3\n"
                   "key 5:8 list.0=a\nkey 5:15 list.1.b=1\nkey 6:7 empty=\n");
    check_settings(FH_SOURCE_YAML, "\xc3\xa4: \xe4\xb8\xad\xe6\x96\x87\nb: 1\n",
                   "key 1:4 \xc3\xa4=\xe4\xb8\xad\xe6\x96\x87\nkey 2:4 b=1\n");
    check_settings(FH_SOURCE_YAML, "a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\n",
                   "key 1:11 a.b=1\nkey 3:16 d.e=2\n");
    check_settings(FH_SOURCE_YAML, "? {a: 1}\n: 2\nb: 3\n? [x]\n: {c: 4}\n",
                   "key 1:7 a=1\nkey 2:3 ?=2\nkey 3:4 b=3\nkey 4:4 0=x\nkey 5:7 ?.c=4\n");
    check_settings(FH_SOURCE_YAML, "a: 1\n---\nb: 2\n--- 3\n",
                   "key 1:4 a=1\nkey 3:4 b=2\nkey 4:5 =3\n");
    check_settings(
        FH_SOURCE_YAML, "a: 1\nb: [\nc: 2\n",
        "key 1:4 a=1\nkey 3:4 b.0.c=2\nnote 4 broken YAML, read up to here: did not find "
        "expected ',' or ']'\n");
}

static void yaml_that_runs_and_installs(void)
{
    check_settings(FH_SOURCE_YAML,
                   "name: e\ndependencies:\n  - python=3.10\n  - pytorch::pytorch>=2.1\n  - pip:\n"
                   "    - Flash_Attn==2\n",
                   "key 1:7 name=e\nkey 3:5 dependencies.0=python=3.10\nreq 3:5 python==3.10\n"
                   "key 4:5 dependencies.1=pytorch::pytorch>=2.1\nreq 4:5 pytorch=>=2.1\n"
                   "key 6:7 dependencies.2.pip.0=Flash_Attn==2\nreq 6:7 flash-attn===2\n");
    check_settings(FH_SOURCE_YAML, "steps:\n - run: |\n     ncu a\n     export A=1\n",
                   "key 2:9 steps.0.run=ncu a\nexport A=1\n\ncmd 3:6 ncu=a\nenv 4:13 A=1\n");
    check_settings(FH_SOURCE_YAML,
                   "s:\n  environment:\n   - A=1\n   - B\n  command: [torchrun, \"a b\"]\n",
                   "key 3:6 s.environment.0=A=1\nenv 3:6 A=1\nkey 4:6 s.environment.1=B\n"
                   "key 5:13 s.command.0=torchrun\nkey 5:23 s.command.1=a b\n"
                   "cmd 5:12 torchrun='a b'\n");
    check_settings(FH_SOURCE_YAML, "env:\n- name: NCCL_DEBUG\n  value: INFO\n",
                   "key 2:9 env.0.name=NCCL_DEBUG\nkey 3:10 env.0.value=INFO\n"
                   "env 3:10 NCCL_DEBUG=INFO\n");
}

static void toml(void)
{
    check_settings(FH_SOURCE_TOML,
                   "[project]\ndependencies = [\n  \"torch>=2\", # c\n  'x',\n]\n"
                   "optional-dependencies.dev = [\"y\"]\n[build-system]\nrequires = [\"z\"]\n",
                   "key 3:3 project.dependencies.0=torch>=2\nreq 3:3 torch=>=2\n"
                   "key 4:3 project.dependencies.1=x\nreq 4:3 x=\n"
                   "key 6:30 project.optional-dependencies.dev.0=y\nreq 6:30 y=\n"
                   "key 8:13 build-system.requires.0=z\nreq 8:13 z=\n");
    check_settings(
        FH_SOURCE_TOML,
        "[tool.poetry.dependencies]\ntorch = \"^2.1\"\na = {version = \"1\", optional = true}\n"
        "b = {git = \"https://h/b\"}\n[dependency-groups]\nt = [\"p\", {include-group = \"q\"}]\n",
        "key 2:9 tool.poetry.dependencies.torch=^2.1\nreq 2:9 torch=^2.1\n"
        "key 3:16 tool.poetry.dependencies.a.version=1\nreq 3:16 a=1\n"
        "key 3:32 tool.poetry.dependencies.a.optional=true\n"
        "key 4:12 tool.poetry.dependencies.b.git=https://h/b\nreq 4:12 b=@https://h/b\n"
        "key 6:6 dependency-groups.t.0=p\nreq 6:6 p=\n"
        "key 6:28 dependency-groups.t.1.include-group=q\n");
    check_settings(
        FH_SOURCE_TOML,
        "[packages]\nTorch = \"*\"\n[[a]]\nb = 1\n[[a]]\nb = \"\"\"\nx\\u0041\\\n  y\"\"\"\n",
        "key 2:9 packages.Torch=*\nreq 2:9 torch=\nkey 4:5 a.0.b=1\nkey 6:5 a.1.b=xAy\n");
    check_settings(FH_SOURCE_TOML, "a = \nb = 1\n",
                   "key 2:5 b=1\nnote 1 broken TOML: this part is not understood\n");
}

static void ini(void)
{
    check_settings(FH_SOURCE_INI,
                   "[options]\ninstall_requires =\n    torch>=2\n    # c\n    numpy # d\nname: x\n"
                   "[options.extras_require]\ndev = pytest\n",
                   "req 3:5 torch=>=2\nreq 5:5 numpy=\n"
                   "key 2:1 options.install_requires=torch>=2\nnumpy # d\nkey 6:1 options.name=x\n"
                   "req 8:1 pytest=\nkey 8:1 options.extras_require.dev=pytest\n");
    check_settings(FH_SOURCE_INI,
                   "[testenv]\ndeps =\n  -r r.txt\n  py38: torch<2\nsetenv =\n  A = 1\n; c\n",
                   "key 3:3 requirement=r.txt\nreq 4:3 torch=<2\n"
                   "key 2:1 testenv.deps=-r r.txt\npy38: torch<2\nenv 6:3 A=1\n"
                   "key 5:1 testenv.setenv=A = 1\n");
    check_settings(FH_SOURCE_INI, "what\n", "note 1 neither a section nor a key with a value\n");
}

static void dockerfile(void)
{
    check_settings(
        FH_SOURCE_DOCKERFILE,
        "# c\nARG V=23.10\nFROM --platform=x nvcr.io/nvidia/pytorch:${V}-py3 AS b\n"
        "ENV A=1 B=\"x y\"\nENV C d e\nRUN pip install \\\n  # c\n  torch \\\n\n  numpy\n"
        "CMD [\"torchrun\", \"t.py\"]\n",
        "key 2:5 arg.V=23.10\nkey 3:19 from=nvcr.io/nvidia/pytorch:${V}-py3\n"
        "env 4:5 A=1\nenv 4:9 B=x y\nenv 5:5 C=d e\n"
        "cmd 6:5 pip=install torch numpy\nreq 8:3 torch=\nreq 10:3 numpy=\n"
        "cmd 11:6 torchrun=t.py\n");
    check_settings(
        FH_SOURCE_DOCKERFILE,
        "FROM a\nRUN --mount=type=cache,target=/x <<EOF\npip install b\nEOF\nRUN ncu c\n",
        "key 1:6 from=a\ncmd 3:1 pip=install b\nreq 3:13 b=\ncmd 5:5 ncu=c\n");
    check_settings(FH_SOURCE_DOCKERFILE, "# escape=`\nFROM a\nRUN ncu `\n x\nONBUILD RUN ncu y\n",
                   "key 2:6 from=a\ncmd 3:5 ncu=x\ncmd 5:13 ncu=y\n");
    check_settings(FH_SOURCE_DOCKERFILE, "RUN", "");
    check_settings(FH_SOURCE_DOCKERFILE, "ENV\nENV =\nFROM\nONBUILD\nRUN [\n", "");
}

static void environment_files(void)
{
    check_settings(FH_SOURCE_ENVIRONMENT, "# c\nA=1 # d\nexport B='x # y'\nC=\"\"\n\nwhat\n",
                   "env 2:1 A=1\nenv 3:1 B=x # y\nenv 4:1 C=\nnote 6 not NAME=value\n");
}

/* Lists, values and depth have limits. */
static void limits(void)
{
    fh_buffer text = {0};
    fh_unit unit;
    fh_buffer_add_string(&text, "{\"a\": [");
    for (int i = 0; i < 1000; i++)
        fh_buffer_add_format(&text, "%s%d", i ? "," : "", i);
    fh_buffer_add_string(&text, "], \"b\": \"");
    for (int i = 0; i < 2000; i++)
        fh_buffer_add_string(&text, "\xc3\xa4");
    fh_buffer_add_string(&text, "\"}");
    fh_unit_init(&unit, FH_UNIT_CONFIG, FH_TEXT("a.json"));
    CHECK(fh_config_read(FH_SOURCE_JSON, fh_buffer_text(&text), &unit) == FH_OK);
    CHECK(unit.settings.count == 1 + 64 + 1);
    CHECK(fh_unit_text(&unit, unit.settings.items[65].value).length == 1024);
    fh_unit_free(&unit);

    fh_buffer_clear(&text);
    for (int i = 0; i < 100000; i++)
        fh_buffer_add_string(&text, "[");
    fh_unit_init(&unit, FH_UNIT_CONFIG, FH_TEXT("a.yaml"));
    CHECK(fh_config_read(FH_SOURCE_YAML, fh_buffer_text(&text), &unit) == FH_OK);
    CHECK(unit.notes.count == 2);
    fh_unit_free(&unit);
    fh_buffer_free(&text);
}

static fh_status read_all_kinds(void *context)
{
    static const struct {
        fh_source_kind kind;
        const char *text;
    } texts[] = {
        {FH_SOURCE_JSON, "{\"a\": [1, {\"env\": {\"B\": \"c\"}},]}"},
        {FH_SOURCE_TOML, "[a]\nb = [\"c\", {d = 'e'}]\n[[f]]\n"},
        {FH_SOURCE_INI, "[a]\ndeps =\n x\nsetenv = Y=1\n"},
        {FH_SOURCE_DOCKERFILE, "FROM a\nENV B=1\nRUN pip install c\n"},
        {FH_SOURCE_REQUIREMENTS, "a[b]>=1; c\n-r d\n"},
        {FH_SOURCE_ENVIRONMENT, "A=1\n"},
        {FH_SOURCE_SHELL, "A=$(ncu x) bash -c \"torchrun t\" <<E\nE\nexport B\n"},
        {FH_SOURCE_YAML, "a: [b, {env: [{name: C, value: d}]}]\nrun: ncu x\n"},
    };
    fh_status status = FH_OK;
    (void)context;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++) {
        fh_unit unit;
        fh_unit_init(&unit, fh_config_unit_kind(texts[i].kind), FH_TEXT("file"));
        status = fh_config_read(texts[i].kind, fh_text_from(texts[i].text), &unit);
        fh_unit_free(&unit);
    }
    return status;
}

int main(void)
{
    TEST(json);
    TEST(yaml);
    TEST(yaml_that_runs_and_installs);
    TEST(toml);
    TEST(ini);
    TEST(dockerfile);
    TEST(environment_files);
    TEST(limits);
    CHECK(sweep(read_all_kinds, NULL) > 20);
    return test_report();
}
