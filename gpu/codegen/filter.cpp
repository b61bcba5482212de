// Filters: k<sink>[j] says whether a thread's element is kept, q<sink>[j] how many of the tile before it are,
// b<sink> how many before the tile. What is stored of the kept elements is put in order in shared memory
// before, so that neighbouring threads write neighbours; so look-back hides behind it. One pass: n reads,
// kept elements written.
#include "gpu/codegen/writer.h"

namespace nvm::gpu {

void Counts::rank(std::int32_t sink, int width) {
  const std::string number = std::to_string(sink);
  states_[sink] = f_.scratch(k_.add_state(2048));
  f_.line("const int kept" + number + " = nvm_rank<" + std::to_string(width) + ">(counts, q" + number + ", " +
          states_.at(sink) + ", t);");
}

void Counts::look_back(std::int32_t sink) {
  if (!known_.insert(sink).second) return;
  const std::string number = std::to_string(sink);
  f_.line("const i64 b" + number + " = nvm_kept_before(counts, kept" + number + ", " + states_.at(sink) +
          ", t);");
  f_.line("if (t == (i64)gridDim.x - 1 && threadIdx.x == 0) C[" +
          std::to_string(length_cell(k_.sink(sink).out_length)) + "] = (u64)(b" + number + " + kept" +
          number + ");");
}

bool Counts::staged(std::int32_t sink) const {
  const Sink& s = k_.sink(sink);
  return s.filter != kNone &&
         (s.kind == SinkKind::kReduce || (s.kind == SinkKind::kStore && !k_.scalar(s.out)));
}

std::string Counts::put(std::int32_t sink, const std::string& value) const {
  const std::string rank = "q" + std::to_string(k_.sink(sink).filter) + "[j]";
  return "if (" + rank + " >= 0) tile[" + rank + "] = nvm_bits(" + value + ");";
}

void Counts::store(std::int32_t sink) {
  const Sink& s = k_.sink(sink);
  const std::string number = std::to_string(s.filter);
  if (known_.contains(s.filter))
    f_.line("__syncthreads();");
  else
    look_back(s.filter);
  if (s.kind == SinkKind::kReduce) return reduce(s);
  f_.line("#pragma unroll 4");
  f_.open("for (int r = (int)threadIdx.x; r < kept" + number + "; r += NVM_THREADS)");
  f_.line(f_.store(s.out, "b" + number + " + r", "nvm_as<" + body_.type(s.value) + ">((u64)tile[r])"));
  f_.close();
  f_.line("__syncthreads();");
}

void Counts::reduce(const Sink& s) {
  const std::string number = std::to_string(s.filter);
  const std::string type = f_.type(s.type);
  const std::int32_t ring = k_.add_scratch(
      {.length = k_.kernel.space, .unit = 1, .bytes = 16, .zeroed = true, .enough = std::int64_t{1} << 20});
  f_.line("nvm_reduce_kept<" + cuda_fold(s.combine) + ", " + type + ">(tile, b" + number + ", kept" + number +
          ", t == (i64)gridDim.x - 1, " + cuda_identity(s.combine, s.type, k_.plan.int_bits) + ", " +
          f_.scratch(ring) + ", " + f_.scratch(k_.add_state(2048, 32)) + ", " +
          f_.scratch(k_.add_far_state(std::int64_t{1} << 33)) + ", [&](" + type + " x) { " +
          f_.store(s.out, "0", "x") + " });");
}

}  // namespace nvm::gpu
