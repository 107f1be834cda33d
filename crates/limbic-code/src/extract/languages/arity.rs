//! The number of arguments of calls, and how many a function takes, in languages with overloads.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::{child_of_kind, children};
use crate::facts::Parameters;
use crate::language::Language;

/// The number of arguments of a call; `None` where the text does not say.
pub fn arguments(builder: &Builder<'_>, call: Node<'_>) -> Option<u8> {
    let language = builder.language;
    if !language.has_overloads() {
        return None;
    }
    let mut count = 0;
    let mut has_list = false;
    let parts = children(call);
    if let Some(parenthesized) = called_with_function(language, &parts) {
        return arguments(builder, parenthesized)?.checked_add(1);
    }
    for part in parts {
        match part.kind() {
            "arguments" | "argument_list" | "value_arguments" => {
                has_list = true;
                count += listed(builder, part)?;
            }
            "call_suffix" => {
                has_list = true;
                for part in children(part) {
                    count += match part.kind() {
                        "value_arguments" => listed(builder, part)?,
                        // The label of a further function: `f(1) { } failed: { }`.
                        "simple_identifier" => 0,
                        _ => 1,
                    };
                }
            }
            // A function behind the parentheses, or a block in their place.
            "annotated_lambda" => {
                has_list = true;
                count += 1;
            }
            "block" | "case_block" | "colon_argument" if language == Language::Scala => {
                has_list = true;
                count += 1;
            }
            _ => {}
        }
    }
    has_list.then(|| u8::try_from(count).ok()).flatten()
}

/// The call in parentheses that is a part of a call with a function behind it: in Kotlin, `f(a) { b }` has the parts
/// `f(a)` and `{ b }`.
pub fn called_with_function<'t>(language: Language, parts: &[Node<'t>]) -> Option<Node<'t>> {
    match parts {
        [call, function]
            if language == Language::Kotlin
                && call.kind() == "call_expression"
                && function.kind() == "annotated_lambda" =>
        {
            Some(*call)
        }
        _ => None,
    }
}

/// The arguments in parentheses; `None` if one of them stands for several.
fn listed(builder: &Builder<'_>, list: Node<'_>) -> Option<usize> {
    let arguments = children(list);
    let is_spread = |argument: &Node<'_>| match builder.language {
        Language::Cpp => argument.kind() == "parameter_pack_expansion",
        Language::Kotlin => builder.text(*argument).starts_with('*'),
        Language::Scala => builder.text(*argument).ends_with(['*', '_']),
        _ => false,
    };
    (!list.has_error() && !arguments.iter().any(is_spread)).then_some(arguments.len())
}

/// How many arguments a function takes; `None` if it is no function, or in a language without overloads.
pub fn parameters(builder: &Builder<'_>, function: Node<'_>) -> Option<Parameters> {
    if !builder.language.has_overloads() || function.has_error() && list_of(builder, function)?.has_error() {
        return None;
    }
    let list = list_of(builder, function)?;
    let mut counted = Counted::default();
    match builder.language {
        Language::Java => {
            for parameter in children(list) {
                match parameter.kind() {
                    "receiver_parameter" => {}
                    "spread_parameter" => counted.several(),
                    _ => counted.one(false),
                }
            }
        }
        Language::CSharp => csharp(builder, list, &mut counted),
        Language::Cpp => cpp(builder, list, &mut counted),
        Language::Kotlin => kotlin(builder, list, &mut counted),
        Language::Swift => swift(builder, list, &mut counted),
        Language::Scala => scala(builder, list, &mut counted),
        _ => return None,
    }
    Some(Parameters {
        least: u8::try_from(counted.least).unwrap_or(u8::MAX),
        most: u8::try_from(counted.most).ok().filter(|_| !counted.is_open),
    })
}

#[derive(Default)]
struct Counted {
    least: usize,
    most: usize,
    is_open: bool,
}

impl Counted {
    fn one(&mut self, has_default: bool) {
        self.least += usize::from(!has_default);
        self.most += 1;
    }

    fn several(&mut self) {
        self.is_open = true;
    }
}

/// The node with the parameters of a function.
fn list_of<'t>(builder: &Builder<'_>, function: Node<'t>) -> Option<Node<'t>> {
    match builder.language {
        Language::Kotlin => child_of_kind(function, "function_value_parameters"),
        Language::Scala => child_of_kind(function, "parameters"),
        Language::Swift => Some(function),
        Language::Cpp => {
            let mut at = function.child_by_field_name("declarator");
            for _ in 0..20 {
                let declarator = at?;
                if declarator.kind() == "function_declarator" {
                    return declarator.child_by_field_name("parameters");
                }
                at = declarator.child_by_field_name("declarator").or_else(|| {
                    children(declarator).into_iter().find(|child| child.kind().ends_with("declarator"))
                });
            }
            None
        }
        _ => function.child_by_field_name("parameters"),
    }
}

fn csharp(builder: &Builder<'_>, list: Node<'_>, counted: &mut Counted) {
    // `params T[] rest` is no node of its own.
    if builder.text(list).split(|c: char| !c.is_alphanumeric()).any(|word| word == "params") {
        counted.several();
    }
    for (index, parameter) in
        children(list).into_iter().filter(|parameter| parameter.kind() == "parameter").enumerate()
    {
        let mut cursor = parameter.walk();
        let has_default = parameter.children(&mut cursor).any(|child| child.kind() == "=");
        // An extension method may be called on its first parameter.
        let is_receiver = index == 0 && builder.text(parameter).starts_with("this ");
        counted.one(has_default || is_receiver);
    }
}

fn cpp(builder: &Builder<'_>, list: Node<'_>, counted: &mut Counted) {
    let mut cursor = list.walk();
    for parameter in list.children(&mut cursor) {
        match parameter.kind() {
            "optional_parameter_declaration" => counted.one(true),
            "variadic_parameter_declaration" | "..." => counted.several(),
            "parameter_declaration" if builder.text(parameter) != "void" => counted.one(false),
            _ => {}
        }
    }
}

fn kotlin(builder: &Builder<'_>, list: Node<'_>, counted: &mut Counted) {
    let mut cursor = list.walk();
    let parts: Vec<Node<'_>> = list.children(&mut cursor).filter(|part| !part.is_extra()).collect();
    for (index, part) in parts.iter().enumerate() {
        if part.kind() != "parameter" {
            continue;
        }
        let before = index.checked_sub(1).and_then(|before| parts.get(before));
        let is_several = before.is_some_and(|before| {
            before.kind() == "parameter_modifiers" && builder.text(*before).contains("vararg")
        });
        if is_several {
            counted.several();
        } else {
            counted.one(parts.get(index + 1).is_some_and(|next| next.kind() == "="));
        }
    }
}

fn swift(builder: &Builder<'_>, function: Node<'_>, counted: &mut Counted) {
    let mut cursor = function.walk();
    let parts: Vec<Node<'_>> = function.children(&mut cursor).filter(|part| !part.is_extra()).collect();
    for (index, part) in parts.iter().enumerate() {
        if part.kind() != "parameter" {
            continue;
        }
        if builder.text(*part).trim_end().ends_with("...") {
            counted.several();
        } else {
            counted.one(parts.get(index + 1).is_some_and(|next| next.kind() == "="));
        }
    }
}

fn scala(builder: &Builder<'_>, list: Node<'_>, counted: &mut Counted) {
    let text = builder.text(list).trim_start_matches('(').trim_start();
    // The compiler may give the arguments of such a list.
    let is_given = text.starts_with("implicit ") || text.starts_with("using ");
    for parameter in children(list) {
        if builder.text(parameter).trim_end().ends_with('*') {
            counted.several();
        } else {
            counted.one(is_given || parameter.child_by_field_name("default_value").is_some());
        }
    }
}
