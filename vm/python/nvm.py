"""The module `nvm` is the package `neslvm`, by the name that its documents use."""
import sys

import neslvm

sys.modules[__name__] = neslvm
