#include "analyse/cli/commands.h"

int main(int argc, char **argv)
{
    return fh_command_main(argc, argv);
}
