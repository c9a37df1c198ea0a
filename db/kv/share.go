package kv

import (
	"context"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

// Share sends messages from each process to all processes, including the sender. Messages that Redis or a process cannot receive
// are lost.
type Share struct {
	client  redis.UniversalClient
	channel string
	timeout time.Duration
	every   time.Duration
}

const shareEvery = time.Second

// NewShare returns a Share that uses the channel with the given name. The other parameters have the same meaning as in NewRates.
func NewShare(client redis.UniversalClient, prefix, name string, timeout time.Duration) *Share {
	return &Share{client: client, channel: prefix + "share:" + name, timeout: timeout, every: shareEvery}
}

// Run sends once a second the messages that the function collect returns. It calls the function receive with every message that
// arrives. It ends when ctx ends.
func (s *Share) Run(ctx context.Context, collect func() [][]byte, receive func([]byte)) {
	subscription := s.client.Subscribe(ctx, s.channel)
	defer func() { _ = subscription.Close() }()
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-subscription.Channel():
			if m != nil {
				receive([]byte(m.Payload))
			}
		case <-tick.C:
			for _, message := range collect() {
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
