#include "vm/python/core/top_level.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>

#include "vm/lib/guarded.h"
#include "vm/python/core/evaluate.h"
#include "vm/python/core/places.h"

namespace nvm::python {

namespace nb = nanobind;

Written::Written() : file_(open_memstream(&text_, &size_)), stream_(this) {
  if (file_ == nullptr) throw std::bad_alloc();
}
Written::~Written() {
  std::fclose(file_);
  std::free(text_);
}

int Written::overflow(int c) { return c == EOF ? 0 : std::fputc(c, file_); }
std::streamsize Written::xsputn(const char* text, std::streamsize n) {
  return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(n), file_));
}

std::string Written::take() {
  std::fflush(file_);
  std::string text(text_, size_);
  std::fseek(file_, 0, SEEK_SET);
  return text;
}

TopLevel::TopLevel(const lib::Options& options) : nothing_(fmemopen(no_text_, 0, "r")) {
  lib::NeslOptions nesl;
  nesl.vm = options;
  nesl.vm.in = nothing_;
  nesl.vm.out = out_.file();
  nesl.vm.err = printed_.file();
  nesl.vm.cancelled = &cancelled_;
  nesl.interactive = true;
  nesl.charts_as_svg = true;
  nesl.folder = ".";
  session_ = std::make_unique<lib::Nesl>(nesl, out_.stream(), err_.stream());
}

TopLevel::~TopLevel() {
  session_.reset();
  if (nothing_ != nullptr) std::fclose(nothing_);
}

void TopLevel::interruptibly(const std::function<void()>& work) {
  cancelled_.store(false);
  until_interrupted(work, [&] {
    cancelled_.store(true);
    session_->machine().cancel();
  });
}

nb::tuple TopLevel::run(const std::string& text) {
  // Also what it has shown belongs to the call: a signal's handler of Python, or another thread, may come.
  const lib::Taken taken(busy_);
  if (!taken)
    return nb::make_tuple(static_cast<int>(lib::NeslStatus::kBusy), "",
                          std::string("nvm: ") + lib::kBusy + "\n");
  lib::NeslStatus status = lib::NeslStatus::kOk;
  interruptibly([&] { status = session_->run_typed(text, "<cell>"); });
  std::string out = out_.take(), err = err_.take();
  last_printed_ = printed_.take();
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return nb::make_tuple(static_cast<int>(status), std::move(out), std::move(err));
}

std::string TopLevel::printed() {
  const lib::Taken taken(busy_);
  return taken ? last_printed_ : "";
}

nb::object TopLevel::value(const std::string& name) {
  const lib::Taken taken(busy_);
  if (!taken) return nb::none();
  std::vector<lib::Value> parts;
  interruptibly([&] {
    const auto prepared = session_->prepare(name);
    if (!prepared) return;
    if (auto run = session_->machine().run(prepared->program, prepared->inputs))
      parts = std::move(run->values);
  });
  for (Written* unseen : {&out_, &err_, &printed_}) static_cast<void>(unseen->take());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (parts.empty()) return nb::none();
  std::vector<lib::Promise> promises;
  for (const lib::Value& part : parts) promises.push_back(graph().given(part));
  return nb::cast(std::move(promises));
}

void bind_top_level(nb::module_& m) {
  nb::class_<TopLevel>(m, "TopLevel")
      .def(nb::init<const lib::Options&>())
      .def("run", &TopLevel::run)
      .def("printed", &TopLevel::printed)
      .def("value", &TopLevel::value)
      .def("names", &TopLevel::names)
      .def_static("incomplete", &TopLevel::incomplete);
}

}  // namespace nvm::python
