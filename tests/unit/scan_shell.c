#include "tests/unit/scan_settings.h"

static void check(const char *text, const char *expected)
{
    check_settings(FH_SOURCE_SHELL, text, expected);
}

static void variables(void)
{
    check("export NCCL_DEBUG=INFO A=\"x y\" B='z'\"w\"\n",
          "env 1:8 NCCL_DEBUG=INFO\nenv 1:24 A=x y\nenv 1:32 B=zw\n");
    check("A=1 B=2 ./run\nC=3\n", "env 1:1 A=1\nenv 1:5 B=2\nkey 2:1 C=3\n");
    check("A=1\nexport A\n", "key 1:1 A=1\nenv 2:8 A=1\n");
    check("declare -x A=1; declare B=2; readonly C=3\n",
          "env 1:12 A=1\nkey 1:25 B=2\nkey 1:39 C=3\n");
    check("set -a; A=1; set +a; B=2\n", "env 1:9 A=1\nkey 1:22 B=2\n");
    check("set -o allexport\nA=1\n", "env 2:1 A=1\n");
    check("env -i A=1 B=2 nvidia-smi\n", "env 1:8 A=1\nenv 1:12 B=2\ncmd 1:16 nvidia-smi=\n");
    check("A=(1 2 'x)')\nB+=z\nC=${D:-a b}\nE=$(echo \"a b\")\n",
          "key 1:1 A=(1 2 'x)')\nkey 2:1 B=z\nkey 3:1 C=${D:-a b}\nkey 4:1 E=$(echo \"a b\")\n");
    check("# export A=1\necho export A=1\necho 'export A=1' \"\n export B=2\"\n", "");
    check("export A=1# not a comment\n", "env 1:8 A=1#\n");
    check("export A=\\\n1\n", "env 1:8 A=1\n");
    check("A==1\n1A=2\nA-B=3\n", "key 1:1 A==1\n");
}

static void commands(void)
{
    check("torchrun --nproc_per_node 8 \\\n  train.py \"a b\"\n",
          "cmd 1:1 torchrun=--nproc_per_node 8 train.py \"a b\"\n");
    check("python -m torch.distributed.launch --use_env t.py\n",
          "cmd 1:1 torch.distributed.launch=--use_env t.py\n");
    check("python3 -u train.py --x\n$PYTHON -m pip install a\n",
          "cmd 1:1 python=-u train.py --x\ncmd 2:1 pip=install a\nreq 2:24 a=\n");
    check("if ! /usr/bin/nvidia-smi > /dev/null 2>&1; then exit; fi\n", "cmd 1:6 nvidia-smi=\n");
    check("n=$(nvidia-smi -L | wc -l); echo `nvcc -V`\n",
          "cmd 1:5 nvidia-smi=-L\nkey 1:1 n=$(nvidia-smi -L | wc -l)\ncmd 1:35 nvcc=-V\n");
    check("srun --export=ALL,A=1 torchrun x.py\n",
          "cmd 1:1 srun=--export=ALL,A=1 torchrun x.py\nenv 1:6 A=1\ncmd 1:23 torchrun=x.py\n");
    check("docker run --gpus all -e A=1 --env=B=2 img python t.py\n",
          "cmd 1:1 docker=run --gpus all -e A=1 --env=B=2 img python t.py\n"
          "env 1:26 A=1\nenv 1:30 B=2\ncmd 1:44 python=t.py\n");
    check("mpirun -np 8 -x NCCL_DEBUG=INFO python t.py\n",
          "cmd 1:1 mpirun=-np 8 -x NCCL_DEBUG=INFO python t.py\n"
          "env 1:17 NCCL_DEBUG=INFO\ncmd 1:33 python=t.py\n");
    check("bash -c \"cd x && torchrun t.py\"\n", "cmd 1:18 torchrun=t.py\n");
    check("command -v nvcc\ngrep torchrun x\nmy-torchrun y\n", "");
    check("f() { (cd a; ncu x) & }\ncase $x in a|b) ncu y;; *) nsys z ;; esac\n",
          "cmd 1:14 ncu=x\ncmd 2:17 ncu=y\ncmd 2:28 nsys=z\n");
    check("x=$(case a in b) ncu c;; esac)\nncu d\n",
          "cmd 1:18 ncu=c\nkey 1:1 x=$(case a in b) ncu c;; esac)\ncmd 2:1 ncu=d\n");
    check("[[ $a =~ ^(ncu)$ && -f b ]] && ncu c\n(( a > b )) || ncu d\n",
          "cmd 1:32 ncu=c\ncmd 2:16 ncu=d\n");
    check("#SBATCH --gres=gpu:8 # eight\n#SBATCHX\n", "cmd 1:1 sbatch=--gres=gpu:8\n");
    check("module load cuda/11.8\n", "cmd 1:1 module=load cuda/11.8\n");
}

static void packages(void)
{
    check("pip install -U 'torch>=2' -r r.txt --extra-index-url u && pip list\n",
          "cmd 1:1 pip=install -U torch>=2 -r r.txt --extra-index-url u\n"
          "req 1:16 torch=>=2\nkey 1:27 requirement=r.txt\nkey 1:36 extra-index-url=u\n"
          "cmd 1:59 pip=list\n");
    check("conda install -y pytorch==2.1 -c nvidia pip\n",
          "cmd 1:1 conda=install -y pytorch==2.1 -c nvidia pip\n"
          "req 1:18 pytorch===2.1\nreq 1:41 pip=\n");
    check("uv pip install a\n", "cmd 1:1 uv=pip install a\nreq 1:16 a=\n");
}

static void here_documents(void)
{
    check("cat <<EOF > x\nexport A=1\nEOF\nexport B=2\n", "env 4:8 B=2\n");
    check("cat <<-'E F'\n\tncu\n\tE F\nncu x\n", "cmd 4:1 ncu=x\n");
    check("cat <<A; cat <<B\nncu\nA\nncu\nB\nncu x\n", "cmd 6:1 ncu=x\n");
    check("bash <<EOF\nexport A=1\nEOF\n", "env 2:8 A=1\n");
    check("grep x <<< \"ncu\"; ncu y\n", "cmd 1:19 ncu=y\n");
    check("cat <<EOF\nnever ends\nncu\n", "");
}

static void any_text_is_taken(void)
{
    check("", "");
    check("\"", "");
    check("'\nexport A=1\n", "");
    check("$(", "");
    check("`", "");
    check("${", "");
    check("A=(", "key 1:1 A=(\n");
    check("<<", "");
    check("<<\n", "");
    check("))))ncu x", "cmd 1:5 ncu=x\n");
    check("case case esac esac)", "");
    check("\\", "");
    check("$(((((((((((((((((((((((((((((((((((((((((((((((((", "");
    check("$($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($($(ncu", "");
}

int main(void)
{
    TEST(variables);
    TEST(commands);
    TEST(packages);
    TEST(here_documents);
    TEST(any_text_is_taken);
    return test_report();
}
