// Dense operands of a pass: vectors that thread after thread reads or writes in order. Every thread takes
// `width` neighbouring elements at a time, as many as 16 bytes hold of the widest, and moves them in one
// access (nvm_pack).
#pragma once

#include "gpu/codegen/writer.h"

namespace nvm::gpu {

class Streams {
 public:
  // At most `most` neighbours.
  Streams(KernelWriter& k, Function& f, BodyWriter& body, int most)
      : k_(k), f_(f), body_(body), most_(most) {}

  // Operands, before begin(): what these values read, and what stores without a filter write.
  void add(const std::vector<std::int32_t>& values, const std::vector<std::int32_t>& sinks);
  void add_write(const std::string& pointer, const std::string& type);
  // Fixes the width and writes `wide`: all may be accessed by 16 bytes.
  void begin();
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] std::size_t vectors() const { return pointers_.size(); }

  // Element i of a group; "" if the vector is not one of them.
  [[nodiscard]] std::string element(VarId v) const;
  // Statement that puts the value of a sink's element aside; "" if it is not one of them.
  [[nodiscard]] std::string store(std::int32_t sink, const std::string& value) const;

  // Loops over the elements of a thread: `chunks` times `groups` packs, of which those of a chunk are read
  // before anything is computed. Group q starts at element `at`; elements outside [begin, end) are left out.
  struct Loop {
    int chunks = 1;
    int groups = 1;
    std::string at;     // an expression of q
    std::string begin;  // "": all are behind it
    std::string end;
    std::string unroll;                 // of the chunks
    std::function<void()> behind = {};  // writes what follows the elements of each chunk
  };
  // `element` writes statements for one: i, its place j among the thread's, and e in its group are in scope.
  void loop(const Loop& loop, const std::vector<std::int32_t>& values, const std::vector<std::int32_t>& sinks,
            const std::function<void()>& element);
  // The same for one vector that is only written: `value` is an expression of j.
  void write(const Loop& loop, const std::string& pointer, const std::string& type, const std::string& value);

 private:
  struct Operand {
    std::string pointer, type;
    int bytes = 0;
  };
  void note(const std::string& pointer, const std::string& type);
  [[nodiscard]] std::vector<Operand> read_by(const std::vector<std::int32_t>& values) const;
  [[nodiscard]] std::vector<Operand> written_by(const std::vector<std::int32_t>& sinks) const;
  [[nodiscard]] Operand vector(VarId v, bool written) const;
  [[nodiscard]] std::string pack(const Operand& o) const;
  void open_groups(const Loop& loop);
  void read(const Loop& loop, const std::vector<Operand>& reads);
  void write_loop(const Loop& loop, const std::vector<Operand>& reads, const std::vector<Operand>& writes,
                  const std::function<void()>& element);

  KernelWriter& k_;
  Function& f_;
  BodyWriter& body_;
  int most_;
  int width_ = 1;
  std::vector<std::string> pointers_;
  int widest_ = 0;
};

}  // namespace nvm::gpu
