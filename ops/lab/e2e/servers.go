package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"switchyard/jobs"
	"switchyard/models/await"
	"switchyard/ops/devstack"
)

const nodePassword = "p4ss"

// redisNode is a Redis server, or a Sentinel.
type redisNode struct {
	port int
	kill func()
}

func (n redisNode) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(n.port)) }

// startRedisNode starts a node with additional lines of configuration.
func startRedisNode(t *testing.T, port int, lines string, args ...string) redisNode {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "redis.conf")
	conf := fmt.Sprintf("port %d\nbind 127.0.0.1\ndir %s\nsave \"\"\n%s\n", port, dir, lines)
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, "redis-server", append([]string{path}, args...)...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	n := redisNode{port: port, kill: func() { cancel(); <-ended }}
	t.Cleanup(func() {
		if n.kill(); t.Failed() {
			t.Logf("redis-server %d: %.2000s", port, output.String())
		}
	})
	await.Until(t, "redis-server listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", n.address())
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return n
}

// FreePorts returns n free ports.
func FreePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		port, err := devstack.FreePort(ports...)
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, port)
	}
	return ports
}

func commandRedis(t *testing.T, url string, words ...any) (any, error) {
	t.Helper()
	r, err := jobs.OpenRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	return r.Do(t.Context(), words...).Result()
}

// StartSentinels starts a Redis with a replica, and three Sentinels that watch both. failOver kills the primary and waits for the
// new one.
func StartSentinels(t *testing.T) (url string, failOver func()) {
	t.Helper()
	ports := FreePorts(t, 5)
	auth := "requirepass " + nodePassword + "\nmasterauth " + nodePassword + "\n"
	primary := startRedisNode(t, ports[0], auth)
	replica := startRedisNode(t, ports[1], auth+fmt.Sprintf("replicaof 127.0.0.1 %d\n", primary.port))
	direct := func(n redisNode) string { return "redis://:" + nodePassword + "@" + n.address() + "/0" }
	role := func(n redisNode) string {
		got, err := commandRedis(t, direct(n), "INFO", "replication")
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(got)
	}
	await.Until(t, "the replica follows", func() bool { return strings.Contains(role(replica), "master_link_status:up") })
	var sentinels []redisNode
	for _, port := range ports[2:] {
		sentinels = append(sentinels, startRedisNode(t, port, fmt.Sprintf(`sentinel monitor main 127.0.0.1 %d 2
sentinel auth-pass main %s
requirepass s3nt
sentinel down-after-milliseconds main 1000
sentinel failover-timeout main 5000`, primary.port, nodePassword), "--sentinel"))
	}
	for _, s := range sentinels {
		await.Until(t, "the sentinels know each other and the replica", func() bool {
			got, err := commandRedis(t, "redis://:s3nt@"+s.address(), "SENTINEL", "CKQUORUM", "main")
			known, err2 := commandRedis(t, "redis://:s3nt@"+s.address(), "SENTINEL", "REPLICAS", "main")
			list, _ := known.([]any)
			return err == nil && err2 == nil && strings.HasPrefix(fmt.Sprint(got), "OK 3") && len(list) == 1
		})
	}
	url = fmt.Sprintf("redis://:%s@%s/0?master_name=main&addr=%s&addr=%s&sentinel_password=s3nt", nodePassword, sentinels[0].address(),
		sentinels[1].address(), sentinels[2].address())
	return url, func() {
		primary.kill()
		await.Until(t, "the replica is the primary", func() bool { return strings.Contains(role(replica), "role:master") })
	}
}

// StartRedisCluster starts a cluster of three nodes that share the slots, and returns its URL.
func StartRedisCluster(t *testing.T) string {
	t.Helper()
	ports := FreePorts(t, 3)
	direct := func(port int) string { return fmt.Sprintf("redis://:%s@127.0.0.1:%d/0", nodePassword, port) }
	const slots = 16384
	taken := slices.Clone(ports)
	for i, port := range ports {
		bus, err := devstack.FreePort(taken...) // the port at which the nodes of a cluster talk to each other
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, bus)
		startRedisNode(t, port, fmt.Sprintf("requirepass %s\nmasterauth %s\ncluster-enabled yes\ncluster-port %d\n", nodePassword,
			nodePassword, bus))
		if _, err := commandRedis(t, direct(port), "CLUSTER", "ADDSLOTSRANGE", i*slots/3, (i+1)*slots/3-1); err != nil {
			t.Fatal(err)
		}
	}
	firstBus := taken[len(ports)]
	for _, port := range ports[1:] {
		if _, err := commandRedis(t, direct(port), "CLUSTER", "MEET", "127.0.0.1", ports[0], firstBus); err != nil {
			t.Fatal(err)
		}
	}
	for _, port := range ports {
		await.Until(t, "the cluster is whole", func() bool {
			got, err := commandRedis(t, direct(port), "CLUSTER", "INFO")
			return err == nil && strings.Contains(fmt.Sprint(got), "cluster_state:ok") &&
				strings.Contains(fmt.Sprint(got), "cluster_known_nodes:3")
		})
	}
	return fmt.Sprintf("redis://:%s@127.0.0.1:%d?addr=127.0.0.1:%d&addr=127.0.0.1:%d", nodePassword, ports[0], ports[1], ports[2])
}

// StartReplica starts a streaming replica of the service's PostgreSQL. end stops it.
func StartReplica(t *testing.T, s *Service) (url string, end func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "switchyard-replica-") //nolint:usetesting // the servers' user cannot reach a directory of the test
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o := devstack.Options{DataDir: dir, NoRedis: true, ReplicaOf: s.DatabaseURL}
	servers, err := devstack.Ensure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	end = func() {
		if err := devstack.Stop(context.WithoutCancel(t.Context()), o); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() {
		end()
		_ = os.RemoveAll(servers.Dir)
		_ = os.RemoveAll(dir)
	})
	return servers.DatabaseURL, end
}
