//! Collections, optionals, promises and pointers of the standard libraries of Java and of the languages of the feature
//! `more`. Types of one behaviour have one name here, which no type of a program has.

use super::denotation::Value;
use crate::language::Language;

/// Has elements of its argument.
const LIST: &str = "list";
/// Has keys of its first argument and values of its second, and is iterated over as pairs of them.
pub const MAP: &str = "map of pairs";
/// Holds a value of its argument: an optional, a promise, a pointer, an iterator.
pub const WRAPPER: &str = "wrapper of a value";

/// Whether the types and methods of this module are those of the language.
pub fn serves(language: Language) -> bool {
    matches!(
        language,
        Language::Java
            | Language::Kotlin
            | Language::Scala
            | Language::CSharp
            | Language::Swift
            | Language::Cpp
            | Language::Php
            | Language::Ruby
    )
}

fn is_one_of(name: &str, names: &str) -> bool {
    names.split_whitespace().any(|one| one == name)
}

/// Names of types with one kind of elements.
fn lists(language: Language) -> &'static str {
    match language {
        Language::Java => {
            "List ArrayList LinkedList Collection Set HashSet LinkedHashSet TreeSet SortedSet NavigableSet EnumSet
            Iterable Iterator ListIterator Queue Deque ArrayDeque PriorityQueue BlockingQueue BlockingDeque
            LinkedBlockingQueue ArrayBlockingQueue ConcurrentLinkedQueue ConcurrentLinkedDeque CopyOnWriteArrayList
            CopyOnWriteArraySet Stack Vector ImmutableList ImmutableSet"
        }
        Language::Kotlin => {
            "List MutableList ArrayList LinkedList Collection MutableCollection Set MutableSet HashSet LinkedHashSet
            Iterable MutableIterable Iterator MutableIterator ListIterator Sequence Array ArrayDeque Queue Deque Flow"
        }
        Language::Scala => {
            "List Seq IndexedSeq Vector Set Array Iterable Iterator Traversable IterableOnce TraversableOnce LazyList
            Stream Buffer ListBuffer ArrayBuffer Queue Stack HashSet SortedSet TreeSet LinearSeq"
        }
        Language::CSharp => {
            "List IList IReadOnlyList IEnumerable IEnumerator ICollection IReadOnlyCollection ISet HashSet SortedSet
            Queue Stack LinkedList IQueryable DbSet Collection ObservableCollection ReadOnlyCollection ImmutableArray
            ImmutableList ImmutableHashSet IImmutableList ConcurrentBag ConcurrentQueue ConcurrentStack
            BlockingCollection Span ReadOnlySpan IAsyncEnumerable IOrderedEnumerable IReadOnlySet"
        }
        Language::Swift => {
            "Array Set ArraySlice ContiguousArray Sequence Collection AnySequence AnyCollection AsyncStream
            AsyncThrowingStream"
        }
        Language::Cpp => {
            "vector list forward_list deque set unordered_set multiset unordered_multiset array span queue stack
            priority_queue initializer_list"
        }
        Language::Php => {
            "array list iterable Collection ArrayCollection Traversable Iterator IteratorAggregate ArrayIterator
            Generator non-empty-array non-empty-list"
        }
        _ => "",
    }
}

fn maps(language: Language) -> &'static str {
    match language {
        Language::Java | Language::Kotlin => {
            "Map MutableMap HashMap LinkedHashMap TreeMap SortedMap NavigableMap ConcurrentHashMap ConcurrentMap EnumMap
            WeakHashMap IdentityHashMap Hashtable ImmutableMap"
        }
        Language::Scala => "Map HashMap TreeMap SortedMap ListMap LinkedHashMap TrieMap",
        Language::CSharp => {
            "Dictionary IDictionary IReadOnlyDictionary ConcurrentDictionary SortedDictionary SortedList
            ImmutableDictionary IImmutableDictionary"
        }
        Language::Swift => "Dictionary",
        Language::Cpp => "map unordered_map multimap unordered_multimap",
        _ => "",
    }
}

fn wrappers(language: Language) -> &'static str {
    match language {
        Language::Java => {
            "Optional CompletableFuture CompletionStage Future Supplier Provider AtomicReference ThreadLocal
            WeakReference SoftReference"
        }
        Language::Kotlin => "Lazy Deferred StateFlow MutableStateFlow AtomicReference WeakReference",
        Language::Scala => "Option Some Future",
        Language::CSharp => "Task ValueTask Lazy Nullable",
        Language::Cpp => "optional unique_ptr shared_ptr weak_ptr reference_wrapper",
        _ => "",
    }
}

fn tuples(language: Language) -> &'static str {
    match language {
        Language::Java => "Entry",
        Language::Kotlin => "Pair Triple Entry MutableEntry IndexedValue",
        Language::Scala => "Tuple2 Tuple3",
        Language::CSharp => "KeyValuePair Tuple ValueTuple",
        Language::Cpp => "pair tuple",
        _ => "",
    }
}

fn list(element: Value) -> Value {
    Value::Outside(LIST.to_owned(), vec![element])
}

fn wrapper(value: Value) -> Value {
    Value::Outside(WRAPPER.to_owned(), vec![value])
}

/// A value of a type outside of the project.
pub fn typed(name: &str, arguments: Vec<Value>, language: Language) -> Value {
    let outside = |name: &str, arguments| Value::Outside(name.to_owned(), arguments);
    match arguments.as_slice() {
        [] => outside(name, arguments),
        // An index is an integer.
        [element] if name == "IndexedValue" => Value::Tuple(vec![Value::Unknown, element.clone()]),
        // Of a generator: keys, values, what is sent, what is returned; of the others, the last one is the element.
        [_, value, _, ..] if language == Language::Php && name == "Generator" => list(value.clone()),
        [.., last] if language == Language::Php && is_one_of(name, lists(language)) => list(last.clone()),
        [inner] if language == Language::Swift && name == "Optional" => inner.clone(),
        [first, ..] if is_one_of(name, lists(language)) => list(first.clone()),
        [_, _, ..] if is_one_of(name, maps(language)) => outside(MAP, arguments),
        [first, ..] if is_one_of(name, wrappers(language)) => wrapper(first.clone()),
        _ if is_one_of(name, tuples(language)) => Value::Tuple(arguments),
        _ => outside(name, arguments),
    }
}

/// The result of a method of a value outside of the project, if it is known.
pub fn method(object: &Value, name: &str, language: Language) -> Option<Value> {
    match object {
        Value::Tuple(items) => item(items, name),
        Value::Either(several) => {
            let found: Option<Vec<Value>> = several.iter().map(|one| method(one, name, language)).collect();
            found.map(Value::either)
        }
        Value::Outside(kind, arguments) => match (kind.as_str(), arguments.as_slice()) {
            (LIST | "Stream", [element]) => of_list(object, element, name, language),
            (MAP, [key, value, ..]) => of_map(object, key, value, name, language),
            (WRAPPER, [value]) => of_wrapper(object, value, name),
            _ => None,
        },
        _ => None,
    }
}

/// A member that is read without a call.
pub fn property(object: &Value, name: &str, language: Language) -> Option<Value> {
    let names = match language {
        Language::Scala => return method(object, name, language),
        Language::Kotlin => "values keys entries key value first second third index",
        Language::Swift => "first last lazy values keys key value",
        Language::CSharp => "Values Keys Key Value Result Item1 Item2 Item3",
        Language::Cpp => "first second",
        _ => "",
    };
    let is_known = is_one_of(name, names) || matches!(object, Value::Tuple(_)) && language == Language::Swift;
    is_known.then(|| method(object, name, language)).flatten()
}

/// An item of a tuple by its name.
fn item(items: &[Value], name: &str) -> Option<Value> {
    let index = match name {
        "first" | "key" | "getKey" | "Key" | "_1" | "Item1" | "component1" | "index" | "0" => 0,
        "second" | "value" | "getValue" | "Value" | "_2" | "Item2" | "component2" | "1" => 1,
        "third" | "_3" | "Item3" | "component3" | "2" => 2,
        _ => return None,
    };
    items.get(index).cloned()
}

fn of_list(object: &Value, element: &Value, name: &str, language: Language) -> Option<Value> {
    const ELEMENT: &str = "get getFirst getLast removeFirst removeLast poll pollFirst pollLast peekFirst peekLast pop
        element next previous first last firstOrNull lastOrNull single singleOrNull getOrNull elementAt elementAtOrNull
        find findLast random randomOrNull maxBy minBy maxByOrNull minByOrNull removeAt removeFirstOrNull
        removeLastOrNull First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt ElementAtOrDefault
        Find FindLast MaxBy MinBy Dequeue Pop Peek popLast randomElement head at back front top detect sample
        shift min_by max_by fetch";
    const SAME: &str = "filter filterNot filterNotNull sorted sortedBy sortedWith sortedByDescending reversed distinct
        distinctBy take takeLast takeWhile drop dropLast dropWhile toList toMutableList toSet toMutableSet toTypedArray
        asSequence asReversed asIterable shuffled onEach stream parallelStream limit skip iterator listIterator subList
        Where OrderBy OrderByDescending ThenBy ThenByDescending Skip Take SkipWhile TakeWhile SkipLast TakeLast Distinct
        DistinctBy Reverse ToList ToArray ToHashSet AsEnumerable Concat Append Prepend Union Except Intersect FindAll
        AsQueryable AsNoTracking AsReadOnly ToImmutableArray ToImmutableList GetEnumerator dropFirst prefix suffix lazy
        sortBy sortWith tail init withFilter toSeq toVector toArray reverse select reject find_all sort_by sort uniq
        compact to_a shuffle each rotate unique slice";
    const ASYNC: &str = "ToListAsync ToArrayAsync";
    const ASYNC_ELEMENT: &str = "FirstAsync FirstOrDefaultAsync SingleAsync SingleOrDefaultAsync LastAsync LastOrDefaultAsync FindAsync";
    let is_stream = matches!(object, Value::Outside(kind, _) if kind == "Stream");
    let element = || Some(element.clone());
    match (language, name) {
        (Language::Scala, "apply") => element(),
        (Language::Java, "findFirst" | "findAny") => element().map(wrapper),
        (Language::Java, "max" | "min") if is_stream => element().map(wrapper),
        (Language::Java, "toList") => element().map(list),
        (Language::Java, "peek") if is_stream => Some(object.clone()),
        (Language::Java, "peek") => element(),
        (Language::Java, "stream" | "parallelStream") => {
            Some(Value::Outside("Stream".to_owned(), vec![element()?]))
        }
        (Language::Scala, "find" | "headOption" | "lastOption" | "maxByOption" | "minByOption") => {
            element().map(wrapper)
        }
        (Language::Cpp, "begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend" | "find") => {
            element().map(wrapper)
        }
        (Language::Swift | Language::Kotlin | Language::Ruby, "min" | "max") => element(),
        (Language::Swift, "enumerated") => Some(list(Value::Tuple(vec![Value::Unknown, element()?]))),
        (Language::Kotlin, "withIndex") => Some(list(Value::Tuple(vec![Value::Unknown, element()?]))),
        (Language::Scala, "zipWithIndex") => Some(list(Value::Tuple(vec![element()?, Value::Unknown]))),
        (Language::CSharp, _) if is_one_of(name, ASYNC) => Some(wrapper(object.clone())),
        (Language::CSharp, _) if is_one_of(name, ASYNC_ELEMENT) => element().map(wrapper),
        _ if is_one_of(name, ELEMENT) => element(),
        _ if is_one_of(name, SAME) => Some(object.clone()),
        _ => None,
    }
}

fn of_map(object: &Value, key: &Value, value: &Value, name: &str, language: Language) -> Option<Value> {
    let pair = || Value::Tuple(vec![key.clone(), value.clone()]);
    match (language, name) {
        (Language::Scala, "get") => Some(wrapper(value.clone())),
        (Language::Scala, "apply") => Some(value.clone()),
        (Language::Cpp, "find" | "begin" | "end" | "cbegin" | "cend" | "lower_bound" | "upper_bound") => {
            Some(wrapper(pair()))
        }
        (Language::Java, "remove") | (Language::Swift, "removeValue") => Some(value.clone()),
        (_, "get" | "getOrDefault" | "getValue" | "getOrPut" | "getOrElse" | "at" | "computeIfAbsent") => {
            Some(value.clone())
        }
        (_, "GetValueOrDefault" | "GetOrAdd") => Some(value.clone()),
        (_, "values" | "Values") => Some(list(value.clone())),
        (_, "keys" | "keySet" | "Keys") => Some(list(key.clone())),
        (_, "entries" | "entrySet" | "toList" | "toSeq" | "iterator") => Some(list(pair())),
        (_, "first" | "First" | "head" | "FirstOrDefault") => Some(pair()),
        (_, "filter" | "filterValues" | "filterKeys" | "toMap" | "toMutableMap") => Some(object.clone()),
        _ => None,
    }
}

fn of_wrapper(object: &Value, value: &Value, name: &str) -> Option<Value> {
    const INNER: &str =
        "get orElse orElseThrow orElseGet getOrElse orNull head value value_or join await Value Result
        GetValueOrDefault resultNow getNow";
    const SAME: &str = "filter or ConfigureAwait lock";
    match name {
        _ if is_one_of(name, INNER) => Some(value.clone()),
        _ if is_one_of(name, SAME) => Some(object.clone()),
        _ => None,
    }
}

/// The value of a parameter of a closure, one of `count`, that is an argument of a method of a value outside of the
/// project.
pub fn closure_parameter(
    object: &Value,
    name: &str,
    (index, count): (u32, u32),
    language: Language,
) -> Value {
    let of_pair = |pair: &Value| match pair {
        Value::Tuple(items) => items.get(index as usize).cloned().unwrap_or(Value::Unknown),
        _ => Value::Unknown,
    };
    match object {
        Value::Either(several) => {
            Value::either(several.iter().map(|one| closure_parameter(one, name, (index, count), language)))
        }
        Value::Outside(kind, arguments) => match (kind.as_str(), arguments.as_slice()) {
            (LIST | "Stream", [element]) => match element_at(name, language) {
                // Of a list of pairs, a closure with two parameters takes their items.
                Some(0) if count > 1 && matches!(element, Value::Tuple(_)) && takes_items(language) => {
                    of_pair(element)
                }
                Some(at) if at == index => element.clone(),
                None if is_one_of(name, "sorted sort Sort sortWith") && count == 2 => element.clone(),
                _ => Value::Unknown,
            },
            (MAP, [key, value, ..]) => match (name, count) {
                ("mapValues", _) if language != Language::Kotlin => value.clone(),
                ("filterValues", _) => value.clone(),
                ("TryGetValue" | "TryRemove", _) => value.clone(),
                ("filterKeys" | "computeIfAbsent", _) => key.clone(),
                ("forEach" | "replaceAll" | "computeIfPresent" | "compute", 2)
                    if language == Language::Java =>
                {
                    of_pair(&Value::Tuple(vec![key.clone(), value.clone()]))
                }
                _ if element_at(name, language) != Some(0) => Value::Unknown,
                (_, 1) => Value::Tuple(vec![key.clone(), value.clone()]),
                (_, 2) if takes_items(language) => of_pair(&Value::Tuple(vec![key.clone(), value.clone()])),
                _ => Value::Unknown,
            },
            (WRAPPER, [value]) => {
                const NAMES: &str =
                    "ifPresent ifPresentOrElse map flatMap filter foreach exists forall thenApply
                    thenAccept thenCompose whenComplete handle collect";
                if index == 0 && is_one_of(name, NAMES) { value.clone() } else { Value::Unknown }
            }
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

/// Whether a closure with two parameters takes the items of a pair.
fn takes_items(language: Language) -> bool {
    matches!(language, Language::Swift | Language::Ruby | Language::Kotlin)
}

/// The parameter of the closure of a list's method that is an element.
fn element_at(name: &str, language: Language) -> Option<u32> {
    const FIRST: &str = "forEach forEachOrdered map mapNotNull filter filterNot any all none find findLast first last
        firstOrNull lastOrNull single singleOrNull count sumOf sumBy maxBy minBy maxByOrNull minByOrNull maxOf minOf
        sortedBy sortedByDescending sortBy sortByDescending groupBy associateBy associateWith associate flatMap
        partition takeWhile dropWhile indexOfFirst indexOfLast distinctBy onEach joinToString removeAll removeIf
        retainAll anyMatch allMatch noneMatch mapToInt mapToLong mapToDouble mapToObj mapMulti peek ForEach Where Select
        SelectMany Any All First FirstOrDefault Last LastOrDefault Single SingleOrDefault Count Sum Max Min Average
        OrderBy OrderByDescending ThenBy ThenByDescending GroupBy ToDictionary ToLookup DistinctBy SkipWhile TakeWhile
        RemoveAll Exists Find FindAll FindIndex TrueForAll ConvertAll MaxBy MinBy AnyAsync FirstOrDefaultAsync
        SingleOrDefaultAsync FirstAsync SingleAsync CountAsync Include ThenInclude compactMap contains allSatisfy
        firstIndex lastIndex drop prefix foreach exists forall withFilter indexWhere collect span tapEach each select
        reject detect any? all? none? each_with_index flat_map sort_by min_by max_by group_by sum find_all filter_map
        index each_with_object TryPeek TryPop TryDequeue TryTake delete_if keep_if collectFirst find_index each_entry reverse_each mapValues";
    const SECOND: &str =
        "forEachIndexed mapIndexed filterIndexed mapIndexedNotNull fold foldLeft reduce inject
        Aggregate foldIndexed";
    // An initial value comes first, or none does: the second parameter is an element in both.
    match name {
        "collect" if language == Language::Java => None,
        "foldIndexed" => Some(2),
        _ if is_one_of(name, FIRST) => Some(0),
        _ if is_one_of(name, SECOND) => Some(1),
        _ => None,
    }
}
