#include "vm/cmd/commands.h"

int main(int argc, char** argv) { return nvm::cmd::main(argc, argv); }
