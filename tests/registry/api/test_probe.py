import json
def test_schema(capsys):
    from drf_spectacular.generators import SchemaGenerator
    from drf_spectacular.validation import validate_schema
    from drf_spectacular.drainage import GENERATOR_STATS
    schema = SchemaGenerator().get_schema(request=None, public=True)
    print(dict(GENERATOR_STATS._warn_cache), dict(GENERATOR_STATS._error_cache))
    validate_schema(schema)
    json.dump(schema, open("/tmp/schema.json","w"), indent=1)
    print(list(schema["paths"]))
    print(list(schema["components"]["schemas"]))
