package routing

import (
	"hash/maphash"
	"maps"
)

const shardCount = 256

var shardSeed = maphash.MakeSeed()

// shards is a map that consists of shardCount smaller maps, so that a copy with few changes is cheap. A fork shares each shard with
// its origin, and copies a shard before the first write to it. Once readers use a map, it is not written any more: changes go into a
// fork of it.
type shards[K comparable, V any] struct {
	part  [shardCount]map[K]V
	owned [shardCount]bool // the shard was copied after the fork, so it may be written
}

func shardOf[K comparable](k K) int { return int(maphash.Comparable(shardSeed, k) % shardCount) }

func (s *shards[K, V]) get(k K) (V, bool) {
	v, ok := s.part[shardOf(k)][k]
	return v, ok
}

// fork returns a copy whose writes do not change s.
func (s *shards[K, V]) fork() shards[K, V] { return shards[K, V]{part: s.part} }

func (s *shards[K, V]) writable(i int) map[K]V {
	if !s.owned[i] {
		if s.part[i] == nil {
			s.part[i] = map[K]V{}
		} else {
			s.part[i] = maps.Clone(s.part[i])
		}
		s.owned[i] = true
	}
	return s.part[i]
}

func (s *shards[K, V]) put(k K, v V) { s.writable(shardOf(k))[k] = v }

func (s *shards[K, V]) remove(k K) {
	i := shardOf(k)
	if _, ok := s.part[i][k]; ok {
		delete(s.writable(i), k)
	}
}

// release removes k if k still leads to v. Another record may have taken k in the meantime.
func release[K, V comparable](s *shards[K, V], k K, v V) {
	if present, ok := s.get(k); ok && present == v {
		s.remove(k)
	}
}

func (s *shards[K, V]) all(yield func(K, V) bool) {
	for _, part := range s.part {
		for k, v := range part {
			if !yield(k, v) {
				return
			}
		}
	}
}

func (s *shards[K, V]) size() int {
	n := 0
	for _, part := range s.part {
		n += len(part)
	}
	return n
}
