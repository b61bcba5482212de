#include "vm/python/core/top_level.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>

#include "vm/lib/guarded.h"
#include "vm/python/core/evaluate.h"

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
  nesl.vm.err = err_.file();
  nesl.vm.cancelled = &cancelled_;
  nesl.interactive = true;
  nesl.folder = ".";
  session_ = std::make_unique<lib::Nesl>(nesl, out_.stream(), err_.stream());
}

TopLevel::~TopLevel() {
  session_.reset();
  if (nothing_ != nullptr) std::fclose(nothing_);
}

nb::tuple TopLevel::run(const std::string& text) {
  // Also what it has shown belongs to the call: a signal's handler of Python, or another thread, may come.
  const lib::Taken taken(busy_);
  if (!taken)
    return nb::make_tuple(static_cast<int>(lib::NeslStatus::kBusy), "",
                          std::string("nvm: ") + lib::kBusy + "\n");
  cancelled_.store(false);
  lib::NeslStatus status = lib::NeslStatus::kOk;
  until_interrupted([&] { status = session_->run_typed(text, "<cell>"); },
                    [&] {
                      cancelled_.store(true);
                      session_->machine().cancel();
                    });
  std::string out = out_.take(), err = err_.take();
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return nb::make_tuple(static_cast<int>(status), std::move(out), std::move(err));
}

void bind_top_level(nb::module_& m) {
  nb::class_<TopLevel>(m, "TopLevel")
      .def(nb::init<const lib::Options&>())
      .def("run", &TopLevel::run)
      .def("names", &TopLevel::names)
      .def_static("incomplete", &TopLevel::incomplete);
}

}  // namespace nvm::python
