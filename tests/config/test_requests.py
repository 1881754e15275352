"""Every answer has a request id; one that was sent is kept when it cannot forge log lines."""

import pytest


@pytest.mark.parametrize("sent", ["abc", "0af7651916cd43dd8448eb211c80319c", "a.b_c:d-e", "x" * 100])
def test_a_callers_id_comes_back(client, sent):
    answer = client.get("/health/live", headers={"X-Request-Id": sent})

    assert answer["X-Request-Id"] == sent


@pytest.mark.parametrize("sent", ["", "two words", "x" * 101, "a\tb", "ä", "id;DROP"])
def test_another_id_is_replaced(client, sent):
    answer = client.get("/health/live", headers={"X-Request-Id": sent})

    assert answer["X-Request-Id"] != sent
    assert len(answer["X-Request-Id"]) == 32
