package kv

import (
	"context"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

// Share brings messages of each process to all processes, itself among them. Redis keeps none of them: a message that comes
// while Redis or a process is away is lost.
type Share struct {
	client  redis.UniversalClient
	channel string
	timeout time.Duration
	every   time.Duration
}

// shareEvery is how often a process sends what it has.
const shareEvery = time.Second

// NewShare makes a channel of that name. The other parameters are as in NewRates.
func NewShare(client redis.UniversalClient, prefix, name string, timeout time.Duration) *Share {
	return &Share{client: client, channel: prefix + "share:" + name, timeout: timeout, every: shareEvery}
}

// Run sends the messages that take returns once a second, and calls hear with every message that comes, until ctx ends.
func (s *Share) Run(ctx context.Context, take func() [][]byte, hear func([]byte)) {
	heard := s.client.Subscribe(ctx, s.channel)
	defer func() { _ = heard.Close() }()
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-heard.Channel():
			if m != nil {
				hear([]byte(m.Payload))
			}
		case <-tick.C:
			for _, message := range take() {
				if err := s.send(ctx, message); err != nil {
					slog.DebugContext(ctx, "a message to other processes is lost", "error", err)
				}
			}
		}
	}
}

func (s *Share) send(ctx context.Context, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.client.Publish(ctx, s.channel, message).Err()
}
