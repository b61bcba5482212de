// The definitions of a session, to which texts are added. A text costs what is in it and in the definitions
// that it uses, however many there are; a definition goes when no name and no other definition leads to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/remora/context.h"

namespace nvm::remora {

class TopLevel {
 public:
  TopLevel() : context_(program_) {}
  TopLevel(const TopLevel&) = delete;
  TopLevel& operator=(const TopLevel&) = delete;

  // Of what a text or a value from outside did. Numbers of what has gone may be those of what has come.
  struct Change {
    std::vector<ValueId> gone;  // definitions that nothing leads to any more
    struct Came {
      std::size_t form;  // of the text's program
      ValueId value;     // what is defined from now on
    };
    std::vector<Came> came;
  };

  // A value from outside, which the name means from now on. Throws Error if its type is none.
  Change give(const Given& given);

  // What was found since is forgotten.
  struct RollBack {
    explicit RollBack(Context& c) : context(c), to(c.mark()) {}
    ~RollBack() { context.roll_back(to); }
    RollBack(const RollBack&) = delete;
    RollBack& operator=(const RollBack&) = delete;
    void keep() { to = context.mark(); }
    Context& context;
    Context::Mark to;
  };

  // A text behind what is defined, checked. While it lives there is no other one; what it defines goes with
  // it, but for what is accepted.
  class Text {
   public:
    // `line` is the number of its first line. Throws what is no fault of the text.
    Text(TopLevel& top, std::string_view text, std::uint32_t line);
    ~Text() = default;
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;

    [[nodiscard]] const std::vector<Error>& errors() const { return errors_; }
    // Without errors: the older forms that those of the text use, then these, from own() on. To translate it
    // adds variables. Older values are kGiven if they were, or were kept.
    [[nodiscard]] Program& program() { return top_.program_; }
    [[nodiscard]] std::size_t own() const { return own_; }
    // All older forms instead of those that are used; to be called once, first.
    void with_all_older() { add_older(true); }

    // The forms become part of the session: expressions go, and definitions that are kKept are values from
    // outside now. `whole`: all that stands there stays, as if it were one text.
    Change accept(bool whole);

   private:
    friend class TopLevel;
    void add_older(bool all);
    [[nodiscard]] std::optional<Change> accept_values();

    TopLevel& top_;
    RollBack back_;
    std::optional<Scope::Level> level_;
    std::vector<Error> errors_;
    std::size_t own_ = 0;
    Var checked_ = 0;  // behind the variables of the text
  };

  // What a name means; -1: nothing that was defined here.
  [[nodiscard]] ValueId find(const std::string& name) const;
  [[nodiscard]] Type type_of(ValueId value) const;
  [[nodiscard]] const Value& operator[](ValueId v) const {
    return program_.values[static_cast<std::size_t>(v)];
  }
  [[nodiscard]] const Variables& variables() const { return program_.variables; }
  [[nodiscard]] std::vector<std::string> names() const { return context_.scope.value_names(); }

 private:
  using Number = std::uint32_t;  // of a group, rising
  struct Group {                 // one definition, or functions that may call each other
    std::vector<Form> forms;
    std::set<Number> uses;
    std::size_t users = 0;  // names, and groups
  };
  [[nodiscard]] std::set<Number> used_by(std::span<const Form> forms) const;
  void add(Group group);
  // Groups that were added since go again, unless they are done.
  class Adding;
  // What goes with the names of these values.
  struct Release {
    std::map<Number, std::size_t> fewer;  // users
    std::vector<Number> groups;
    std::vector<ValueId> values;
  };
  [[nodiscard]] Release release(const std::vector<ValueId>& unnamed) const;
  void carry_out(const Release& release) noexcept;
  // Values from outside, in place of what is bound since the outermost level of the scope began.
  [[nodiscard]] Change give_all(std::span<const Given> given);

  Program program_;  // its forms are those of a text that lives
  Context context_;
  std::map<Number, Group> groups_;
  std::map<ValueId, Number> group_of_;
  Number next_ = 0;
};

}  // namespace nvm::remora
