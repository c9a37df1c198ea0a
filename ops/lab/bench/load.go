package bench

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Request is one HTTP/1.1 request as bytes. Each time it is sent, random characters (letters, digits, - and _) replace a part of
// it. This part begins at the position `Random` and has `Letters` bytes. Random digits replace the bytes at the positions in
// `Digits`.
type Request struct {
	Bytes           []byte
	Random, Letters int
	Digits          []int
}

// Load is traffic on one address. Unless Fresh is set, connections are kept alive. Load implements only the part of HTTP that it
// needs, so that the cost of the client does not hide the cost of the server.
type Load struct {
	Addr        string
	Connections int
	Requests    []Request
	Duration    time.Duration
	Rate        float64 // requests a second of all connections together; 0: as fast as answers come
	Status      string
	// TLS makes connections secure; nil: plain connections. If Names is not empty, connections use its host names in turn.
	TLS   *tls.Config
	Names []string
	// Fresh opens a new connection for each request. With TLS, each request then needs a full handshake.
	Fresh bool
}

// Result is the result of one run of a load.
type Result struct {
	Count     int
	Elapsed   time.Duration
	latencies []time.Duration // sorted
}

// Rate returns the number of answers per second.
func (r Result) Rate() float64 { return float64(r.Count) / r.Elapsed.Seconds() }

// Percentile returns the latency that a share p (0 to 1) of the answers did not exceed. At a fixed rate, the latency of a
// request counts from the moment when the request was due. So a stall shows in all requests that had to wait for its end.
func (r Result) Percentile(p float64) time.Duration {
	if len(r.latencies) == 0 {
		return 0
	}
	return r.latencies[min(len(r.latencies)-1, int(p*float64(len(r.latencies))))]
}

// Run sends the load.
func (l Load) Run(ctx context.Context) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Duration+30*time.Second)
	defer cancel()
	connections := make([]*connection, l.Connections)
	deadline, _ := ctx.Deadline()
	for i := range connections {
		c := &connection{
			Load: l, in: make([]byte, 16<<10), next: i * max(len(l.Requests), len(l.Names)) / l.Connections, deadline: deadline,
			random: rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano()))),
		}
		connections[i] = c
		if l.Fresh {
			continue
		}
		if err := c.open(ctx); err != nil {
			return Result{}, err
		}
		defer c.close()
	}
	start := time.Now()
	var wg sync.WaitGroup
	for i, c := range connections {
		wg.Go(func() { c.err = c.run(ctx, start, i) })
	}
	wg.Wait()
	result := Result{Elapsed: time.Since(start)}
	var errs []error
	for _, c := range connections {
		result.Count += len(c.latencies)
		result.latencies = append(result.latencies, c.latencies...)
		errs = append(errs, c.err)
	}
	return result.sorted(), errors.Join(errs...)
}

func (r Result) sorted() Result {
	slices.Sort(r.latencies)
	return r
}

type connection struct {
	Load
	conn      net.Conn
	deadline  time.Time
	in, out   []byte
	next      int
	random    *rand.Rand
	latencies []time.Duration
	err       error
}

func (c *connection) run(ctx context.Context, start time.Time, number int) error {
	interval := time.Duration(0)
	if c.Rate > 0 {
		interval = time.Duration(float64(time.Second) * float64(c.Connections) / c.Rate)
	}
	due := start.Add(interval * time.Duration(number) / time.Duration(c.Connections))
	for timer := time.NewTimer(0); ; {
		now := time.Now()
		if now.Sub(start) >= c.Duration {
			return nil
		}
		if interval == 0 {
			due = now
		} else if wait := due.Sub(now); wait > 0 {
			timer.Reset(wait)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-timer.C:
			}
		}
		if err := c.request(ctx); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		c.latencies = append(c.latencies, time.Since(due))
		due = due.Add(interval)
	}
}

func (c *connection) open(ctx context.Context) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	_ = conn.SetDeadline(c.deadline)
	if c.conn = conn; c.TLS == nil {
		return nil
	}
	config := c.TLS
	if len(c.Names) > 0 {
		config = config.Clone()
		config.ServerName = c.Names[c.next%len(c.Names)]
	}
	secure := tls.Client(conn, config)
	c.conn = secure
	if err := secure.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("bench: handshake with %s: %w", config.ServerName, errors.Join(err, conn.Close()))
	}
	return nil
}

// close closes the connection in such a way that its port can be used again immediately.
func (c *connection) close() {
	conn := c.conn
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if plain, ok := conn.(*net.TCPConn); ok {
		_ = plain.SetLinger(0)
	}
	_ = conn.Close()
}

func (c *connection) request(ctx context.Context) error {
	if !c.Fresh {
		return c.roundTrip()
	}
	if err := c.open(ctx); err != nil {
		return err
	}
	defer c.close()
	return c.roundTrip()
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

func (c *connection) roundTrip() error {
	r := c.Requests[c.next%len(c.Requests)]
	c.next++
	out := r.Bytes
	if r.Letters+len(r.Digits) > 0 {
		c.out = append(c.out[:0], out...) // all connections share the requests, so change a copy
		out = c.out
		for i := range r.Letters {
			out[r.Random+i] = letters[c.random.Uint64()%uint64(len(letters))]
		}
		for _, i := range r.Digits {
			out[i] = '0' + byte(c.random.Uint64()%10)
		}
	}
	if _, err := c.conn.Write(out); err != nil {
		return err
	}
	return c.read()
}

var (
	headEnd       = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
	chunked       = []byte("\r\nTransfer-Encoding: chunked")
)

func (c *connection) read() error {
	received, head := 0, -1
	for head < 0 {
		n, err := c.conn.Read(c.in[received:])
		if err != nil {
			return err
		}
		received += n
		head = bytes.Index(c.in[:received], headEnd)
		if head < 0 && received == len(c.in) {
			return errors.New("the head of an answer is too long")
		}
	}
	if text := c.in[:head]; len(text) < 12 || string(text[9:12]) != c.Status || bytes.Contains(text, chunked) {
		return fmt.Errorf("wrong answer: %.300s", c.in[:received])
	}
	body := 0
	if i := bytes.Index(c.in[:head], contentLength); i >= 0 {
		text := c.in[i+len(contentLength) : head]
		if end := bytes.IndexByte(text, '\r'); end >= 0 {
			text = text[:end]
		}
		var err error
		if body, err = strconv.Atoi(string(text)); err != nil {
			return err
		}
	}
	for remaining := body - (received - head - len(headEnd)); remaining > 0; {
		n, err := c.conn.Read(c.in[:min(remaining, len(c.in))])
		if err != nil {
			return err
		}
		remaining -= n
	}
	return nil
}
