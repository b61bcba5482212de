// Program to VCODE text that the legacy interpreter accepts too: annotations travel in comments.
//
//   {nvm source FILE}    before the first function: the file it came from
//   {nvm function NAME [lifted] [tail]}
//                        directly after FUNC name: origin and claims; NAME "" if unknown
//   {nvm line N[:COLUMN] [FILE]}
//                        the instructions that follow, to the end of the function, came from this line, or
//                        place in it, of the source, or of another FILE; 0 (at the start of each function)
//                        if unknown
//   {nvm char}           between CONST INT and its value: the integers are a CONST CHAR that no string can
//                        hold, having a quote or a code beyond a signed byte, or one too long for the legacy
//                        scanner
//   {nvm segdes}         in the same place: with the MAKE_SEGDES behind it the integers are a constant
//                        descriptor of several segments, which the legacy interpreter does not read as a
//                        CONST SEGDES
//
// FILE and NAME write blanks, braces, quotes, % and control bytes as %XX.
//
// Reading what was written gives the same program (positions and the numbers of files aside), byte for byte
// when written again; a constant with NaN in it, for which there is no literal, is the difference of two.
// Inputs of the run (program.h) have no text form: they are shown as an empty vector and a remark, for
// people.
#pragma once

#include <string>

#include "bytecode/program/program.h"

namespace nvm {

struct WriteOptions {
  bool annotations = true;
  bool indent = true;  // two spaces per open IF, up to a limit; one instruction a line
};
// Appends the shortest digits that read back as the same number, with the point that VCODE wants. NaN has no
// literal.
void append_float(std::string& out, double value);

[[nodiscard]] std::string write_vcode(const Program& program, WriteOptions options = {});

}  // namespace nvm
