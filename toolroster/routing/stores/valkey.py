"""Breakers, limits and slots that all processes share, in Valkey or Redis.

A breaker is a hash that expires when it has nothing to say; a script changes it in one step. Time is the
server's, so that the clocks of machines need not agree.
"""

from collections.abc import Sequence
from typing import Any

from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio import Redis
from redis.exceptions import RedisError

from toolroster.routing.breaker import Admission, BreakerRules, Outcome, Refusal, State
from toolroster.routing.stores import Slot, StoreUnavailable

# In Lua as `breaker.Breaker` has it in Python; ARGV[1] is a time for tests, "" for the server's own.
_NOW = """
local now = tonumber(ARGV[1])
if not now then
  local t = redis.call('TIME')
  now = tonumber(t[1]) + tonumber(t[2]) / 1000000
end
"""

_ADMIT = (
    _NOW
    + """
local probes, probe_seconds, keep = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local soonest = nil
for place, key in ipairs(KEYS) do
  local b = redis.call('HMGET', key, 'state', 'opened', 'until', 'sent')
  local state, opened = b[1] or 'CLOSED', tonumber(b[2] or 0)
  if state == 'CLOSED' then return {place, 0, '0'} end
  local ends, sent = tonumber(b[3]), tonumber(b[4] or 0)
  local is_over = now >= ends
  if is_over then
    state, sent, ends = 'HALF_OPEN', 0, now + probe_seconds
    redis.call('HSET', key, 'state', state, 'sent', 0, 'good', 0, 'until', string.format('%.6f', ends))
    redis.call('EXPIRE', key, keep)
  end
  if state == 'HALF_OPEN' and sent < probes then
    redis.call('HINCRBY', key, 'sent', 1)
    return {place, opened, '0'}
  end
  local wait = ends - now
  if soonest == nil or wait < soonest then soonest = wait end
end
return {0, 0, string.format('%.6f', soonest)}
"""
)

_REPORT = (
    _NOW
    + """
local key, probe, outcome = KEYS[1], tonumber(ARGV[2]), ARGV[3]
local failure_rate, slow_rate, least = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local bucket_seconds, buckets = tonumber(ARGV[7]), tonumber(ARGV[8])
local open_seconds, longest = tonumber(ARGV[9]), tonumber(ARGV[10])
local probes, keep, times = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
local b = redis.call('HMGET', key, 'state', 'opened', 'good')
local state, opened, good = b[1] or 'CLOSED', tonumber(b[2] or 0), tonumber(b[3] or 0)

local function open()
  opened = opened + 1
  local wait = math.min(open_seconds * 2 ^ math.min(opened - 1, 30), longest)
  redis.call('DEL', key)
  redis.call('HSET', key, 'state', 'OPEN', 'opened', opened, 'until', string.format('%.6f', now + wait))
  redis.call('EXPIRE', key, keep)
  return 'OPEN'
end

if state == 'CLOSED' then
  if probe ~= 0 then return '' end
  local number = math.floor(now / bucket_seconds)
  local at = 'b' .. (number % buckets)
  local held = redis.call('HGET', key, at)
  local n, c, f, s = -1, 0, 0, 0
  if held then n, c, f, s = string.match(held, '(%d+) (%d+) (%d+) (%d+)') end
  if tonumber(n) ~= number then n, c, f, s = number, 0, 0, 0 end
  c = c + times
  if outcome == 'FAILED' then f = f + times end
  if outcome ~= 'OK' then s = s + times end
  redis.call('HSET', key, at, string.format('%d %d %d %d', number, c, f, s))
  redis.call('EXPIRE', key, keep)
  local calls, failed, slow = 0, 0, 0
  for _, text in ipairs(redis.call('HVALS', key)) do
    local n, c, f, s = string.match(text, '(%d+) (%d+) (%d+) (%d+)')
    if n and tonumber(n) > number - buckets then
      calls, failed, slow = calls + c, failed + f, slow + s
    end
  end
  if calls >= least and (failed >= failure_rate * calls or slow >= slow_rate * calls) then return open() end
  return ''
end
if state ~= 'HALF_OPEN' or probe ~= opened then return '' end
if outcome ~= 'OK' then return open() end
if good + 1 < probes then
  redis.call('HINCRBY', key, 'good', 1)
  return ''
end
redis.call('DEL', key)
return 'CLOSED'
"""
)

_ENTER = (
    _NOW
    + """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[4])
redis.call('EXPIRE', KEYS[1], math.ceil(tonumber(ARGV[3])) + 1)
return 1
"""
)


class ValkeyStore:
    """A `Store` in Valkey; it belongs to one event loop. `now` stands for the server's clock in tests."""

    def __init__(self, url: str, *, prefix: str = "tr:router", now: Any = None, seconds: float = 1.0) -> None:
        self._redis: Redis = Redis.from_url(url, socket_timeout=seconds, socket_connect_timeout=seconds)
        self._prefix = prefix
        self._now = now or (lambda: "")
        self._admit = self._redis.register_script(_ADMIT)
        self._report = self._redis.register_script(_REPORT)
        self._enter = self._redis.register_script(_ENTER)
        pool: Any = self._redis.connection_pool  # the types of `limits` know no such option
        # Any address will do: the pool knows its own, and one of a socket would mean another client here.
        storage = RedisStorage(
            "async+redis://", implementation="redispy", key_prefix=f"{prefix}:rate", connection_pool=pool
        )
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    async def close(self) -> None:
        """Close all connections."""
        await self._redis.aclose()

    async def admit(self, keys: Sequence[str], rules: BreakerRules) -> Admission | Refusal:
        """See `Store`."""
        arguments = [self._now(), rules.probes, rules.probe_seconds, _keep_seconds(rules)]
        place, probe, wait = await _told(self._admit(keys=self._breakers(keys), args=arguments))
        return Admission(keys[place - 1], int(probe)) if place else Refusal(float(wait))

    async def report(
        self, admission: Admission, outcome: Outcome, rules: BreakerRules, times: int = 1
    ) -> State | None:
        """See `Store`."""
        arguments = [
            self._now(),
            admission.probe,
            outcome.value,
            rules.failure_rate,
            rules.slow_rate,
            rules.least_calls,
            rules.bucket_seconds,
            rules.buckets,
            rules.open_seconds,
            rules.longest_open_seconds,
            rules.probes,
            _keep_seconds(rules),
            times,
        ]
        told = await _told(self._report(keys=self._breakers([admission.key]), args=arguments))
        return State(told.decode()) if told else None

    async def states(self, keys: Sequence[str]) -> list[State]:
        """See `Store`."""
        asked = self._redis.pipeline(transaction=False)
        for key in self._breakers(keys):
            asked.hget(key, "state")
        return [State(told.decode()) if told else State.CLOSED for told in await _told(asked.execute())]

    async def hit(self, key: str, per_minute: int, cost: int = 1) -> float:
        """See `Store`."""
        limit = RateLimitItemPerMinute(per_minute)
        if await _told(self._limiter.hit(limit, key, cost=cost)):
            return 0.0
        stats = await _told(self._limiter.get_window_stats(limit, key))
        seconds, micros = await _told(self._redis.time())
        ends: float = stats.reset_time
        return max(0.05, ends - float(seconds) - float(micros) / 1e6)

    async def enter(self, slot: Slot) -> bool:
        """See `Store`."""
        arguments = [self._now(), slot.most, slot.seconds, slot.holder]
        return bool(await _told(self._enter(keys=[self._slots(slot)], args=arguments)))

    async def leave(self, slot: Slot) -> None:
        """See `Store`."""
        await _told(self._redis.zrem(self._slots(slot), slot.holder))

    def _breakers(self, keys: Sequence[str]) -> list[str]:
        # Those of one tool are asked together: a cluster keeps what has one tag in one place.
        return [f"{self._prefix}:breaker:{{{key.partition('|')[0]}}}:{key}" for key in keys]

    def _slots(self, slot: Slot) -> str:
        return f"{self._prefix}:slots:{{{slot.tool}}}"


def _keep_seconds(rules: BreakerRules) -> int:
    """Return after how long an untouched breaker is forgotten: its openings in a row count no more."""
    return int(2 * (rules.longest_open_seconds + rules.window_seconds + rules.probe_seconds))


async def _told(asked: Any) -> Any:
    try:
        return await asked
    except (RedisError, OSError, TimeoutError) as error:
        raise StoreUnavailable(str(error)) from error
