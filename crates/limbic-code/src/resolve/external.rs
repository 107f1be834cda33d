//! Types of standard libraries that resolution supports: containers and wrappers.

use super::denotation::Value;
use super::library;
use crate::language::Language;

/// Types that behave like the value that they contain.
const TRANSPARENT: [&str; 24] = [
    "Optional",
    "Annotated",
    "Final",
    "ClassVar",
    "Required",
    "NotRequired",
    "ReadOnly",
    "Box",
    "Arc",
    "Rc",
    "Cow",
    "Pin",
    "RefMut",
    "Ref",
    "MutexGuard",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "Readonly",
    "NonNullable",
    "Partial",
    "Unpack",
    "Wrapping",
    "ManuallyDrop",
    "TypeGuard",
];
/// Types whose content is got by `?`, `await`, `unwrap`, `lock` and the like.
const WRAPPERS: [&str; 22] = [
    "Option",
    "Result",
    "Promise",
    "PromiseLike",
    "Awaitable",
    "Coroutine",
    "Future",
    "BoxFuture",
    "Mutex",
    "RwLock",
    "RefCell",
    "Cell",
    "OnceCell",
    "OnceLock",
    "LazyLock",
    "Optional",
    "CompletableFuture",
    "Poll",
    "Weak",
    "Maybe",
    "shared_ptr",
    "unique_ptr",
];
const MAPS: [&str; 17] = [
    "dict",
    "Dict",
    "Mapping",
    "MutableMapping",
    "OrderedDict",
    "defaultdict",
    "DefaultDict",
    "HashMap",
    "BTreeMap",
    "Map",
    "Record",
    "WeakMap",
    "IndexMap",
    "LinkedHashMap",
    "TreeMap",
    "ConcurrentHashMap",
    "map",
];
const LISTS: [&str; 50] = [
    "list",
    "List",
    "Sequence",
    "Iterable",
    "Iterator",
    "Generator",
    "set",
    "Set",
    "frozenset",
    "FrozenSet",
    "tuple",
    "Tuple",
    "deque",
    "Deque",
    "Collection",
    "AsyncIterator",
    "AsyncIterable",
    "AsyncGenerator",
    "MutableSequence",
    "AbstractSet",
    "MutableSet",
    "Vec",
    "VecDeque",
    "HashSet",
    "BTreeSet",
    "IntoIterator",
    "Array",
    "ReadonlyArray",
    "ReadonlySet",
    "IterableIterator",
    "ArrayList",
    "LinkedList",
    "HashSet",
    "Queue",
    "Stack",
    "Stream",
    "vector",
    "SmallVec",
    "Slice",
    "IEnumerable",
    "IList",
    "ICollection",
    "ArrayDeque",
    "KeysView",
    "ValuesView",
    "Counter",
    "ContextManager",
    "AbstractContextManager",
    "AsyncContextManager",
    "NodeArray",
];

/// A value of a type outside of the project.
pub fn typed(name: &str, mut arguments: Vec<Value>, language: Language) -> Value {
    match name {
        "Any" | "any" | "object" | "_" if library::serves(language) => Value::Unknown,
        _ if library::serves(language) => library::typed(name, arguments, language),
        "Any" | "any" | "unknown" | "object" | "_" | "never" => Value::Unknown,
        "Type" | "type" if language == Language::Python => match arguments.into_iter().next() {
            Some(Value::Instance(class)) => Value::Type(class),
            Some(Value::Either(several)) => Value::either(several.into_iter().map(|one| match one {
                Value::Instance(class) => Value::Type(class),
                other => other,
            })),
            _ => Value::Unknown,
        },
        _ if TRANSPARENT.contains(&name) && !arguments.is_empty() => arguments.remove(0),
        _ => Value::Outside(name.to_owned(), arguments),
    }
}

/// The element type of an iteration (`is_index` false) or an index access.
pub fn element(value: &Value, is_index: bool) -> Value {
    match value {
        Value::Outside(name, arguments) if name == library::MAP => {
            if is_index {
                arguments.last().cloned().unwrap_or(Value::Unknown)
            } else {
                Value::Tuple(arguments.clone())
            }
        }
        Value::Outside(name, arguments) if name == library::WRAPPER && !is_index => {
            arguments.first().cloned().unwrap_or(Value::Unknown)
        }
        Value::Outside(name, arguments) if MAPS.contains(&name.as_str()) => {
            let argument = if is_index { arguments.last() } else { arguments.first() };
            argument.cloned().unwrap_or(Value::Unknown)
        }
        Value::Outside(name, arguments) if LISTS.contains(&name.as_str()) => {
            arguments.first().cloned().unwrap_or(Value::Unknown)
        }
        Value::Tuple(items) => Value::either(items.iter().cloned()),
        Value::Either(several) => Value::either(several.iter().map(|one| element(one, is_index))),
        // A generic class: `Foo[int]` is Foo.
        Value::Type(_) | Value::OutsideType(..) if is_index => value.clone(),
        Value::External => Value::External,
        Value::Outside(name, _) if name == "str" => value.clone(),
        _ => Value::Unknown,
    }
}

/// An item of a tuple.
pub fn item(value: &Value, index: u32) -> Value {
    match value {
        Value::Tuple(items) => items.get(index as usize).cloned().unwrap_or(Value::Unknown),
        Value::Either(several) => Value::either(several.iter().map(|one| item(one, index))),
        Value::Outside(name, arguments) if name == "tuple" || name == "Tuple" => {
            arguments.get(index as usize).or(arguments.first()).cloned().unwrap_or(Value::Unknown)
        }
        other => element(other, false),
    }
}

/// The value in a wrapper; the value itself if it is none.
pub fn inner(value: Value) -> Value {
    match value {
        Value::Outside(name, arguments) if name == "Coroutine" => {
            arguments.into_iter().last().unwrap_or(Value::Unknown)
        }
        Value::Outside(name, arguments) if WRAPPERS.contains(&name.as_str()) || name.ends_with("Result") => {
            arguments.into_iter().next().unwrap_or(Value::Unknown)
        }
        Value::Either(several) => Value::either(several.into_iter().map(inner)),
        other => other,
    }
}

/// The value of the context manager of a generator.
pub fn entered(value: &Value) -> Value {
    match value {
        Value::Outside(name, _) if LISTS.contains(&name.as_str()) => element(value, false),
        other => other.clone(),
    }
}

/// The value whose members a value outside of the project has, for smart pointers.
pub fn dereferenced(value: &Value) -> Option<&Value> {
    match value {
        Value::Outside(name, arguments) if TRANSPARENT.contains(&name.as_str()) => arguments.first(),
        _ => None,
    }
}

/// The result of a method of a container.
pub fn call(object: &Value, name: &str) -> Value {
    let Value::Outside(container, arguments) = object else {
        return match object {
            // An associated function of a type outside returns, as a rule, that type.
            Value::OutsideType(name, arguments) => Value::Outside(name.clone(), arguments.clone()),
            _ => Value::Unknown,
        };
    };
    let is_map = MAPS.contains(&container.as_str());
    let is_list = LISTS.contains(&container.as_str());
    let (first, last) = (arguments.first().cloned(), arguments.last().cloned());
    let list = |element: Option<Value>| Value::Outside("list".to_owned(), element.into_iter().collect());
    match name {
        "items" | "entries" | "iter" | "iter_mut" | "into_iter" | "drain" if is_map => {
            list(Some(Value::Tuple(arguments.clone())))
        }
        "values" | "values_mut" | "into_values" if is_map => list(last),
        "keys" if is_map => list(first),
        "get" | "pop" | "setdefault" | "remove" | "get_mut" | "entry" if is_map => {
            last.map_or(Value::Unknown, |value| Value::Outside("Option".to_owned(), vec![value])).unwrapped()
        }
        "copy" | "clone" | "iter" | "iter_mut" | "into_iter" | "filter" | "slice" | "concat" | "reverse"
        | "sort" | "union" | "difference" | "rev" | "skip" | "take" | "cloned" | "copied" | "collect"
        | "chain" | "values" | "stream" | "as_slice" | "to_vec" | "peekable" | "drain"
            if is_list =>
        {
            object.clone()
        }
        "pop" | "popleft" | "next" | "first" | "last" | "get" | "at" | "find" | "shift" | "peek"
        | "getFirst" | "nth" | "pop_front" | "pop_back" | "last_mut" | "first_mut" | "get_mut" | "min"
        | "max" | "poll"
            if is_list =>
        {
            first.unwrap_or(Value::Unknown)
        }
        "enumerate" if is_list => {
            let index = Value::Outside("usize".to_owned(), Vec::new());
            list(Some(Value::Tuple(vec![index, first.unwrap_or(Value::Unknown)])))
        }
        "then" | "catch" | "finally" => Value::Unknown,
        "unwrap" | "expect" | "unwrap_or_default" | "unwrap_or" | "lock" | "borrow" | "borrow_mut"
        | "read" | "write" | "get" | "upgrade" | "as_ref" | "as_mut" | "load" => inner(object.clone()),
        "split" | "splitlines" | "rsplit" | "lines" if container == "str" => list(Some(object.clone())),
        _ if matches!(
            container.as_str(),
            "str" | "bytes" | "int" | "float" | "bool" | "string" | "String" | "Path"
        ) =>
        {
            Value::External
        }
        _ => Value::Unknown,
    }
}

impl Value {
    /// Returns the value in an optional.
    fn unwrapped(self) -> Value {
        inner(self)
    }
}

/// Whether options, results, iterators or collections of Rust have a method of this name.
pub fn is_rust_method(name: &str) -> bool {
    const NAMES: [&str; 62] = [
        "all",
        "and_then",
        "any",
        "as_deref",
        "as_mut",
        "as_ref",
        "as_slice",
        "as_str",
        "chain",
        "cloned",
        "collect",
        "contains",
        "copied",
        "count",
        "enumerate",
        "err",
        "expect",
        "extend",
        "filter",
        "filter_map",
        "find",
        "find_map",
        "first",
        "flat_map",
        "flatten",
        "fold",
        "for_each",
        "into_iter",
        "is_empty",
        "is_err",
        "is_none",
        "is_ok",
        "is_some",
        "iter",
        "iter_mut",
        "last",
        "len",
        "map",
        "map_err",
        "max",
        "min",
        "next",
        "nth",
        "ok",
        "ok_or",
        "ok_or_else",
        "or_else",
        "peekable",
        "position",
        "push",
        "replace",
        "rev",
        "skip",
        "sum",
        "take",
        "take_while",
        "to_owned",
        "unwrap",
        "unwrap_or",
        "unwrap_or_default",
        "unwrap_or_else",
        "zip",
    ];
    NAMES.contains(&name)
}
