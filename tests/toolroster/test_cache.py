from toolroster.cache import Cache


def test_a_value_counts_before_its_end_only():
    cache: Cache[str] = Cache(2)
    cache.put("a", "A", until=10)

    assert [cache.get("a", now=now) for now in (9.9, 10)] == ["A", None]


def test_an_unknown_key_has_no_value():
    assert Cache[str](2).get("a", now=0) is None


def test_beyond_the_bound_the_value_stored_first_goes():
    cache: Cache[str] = Cache(2)
    for key in ("a", "b", "a", "c"):
        cache.put(key, key, until=10)

    assert [cache.get(key, now=0) for key in "abc"] == ["a", None, "c"]
    assert len(cache) == 2
