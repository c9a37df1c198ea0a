package deploy

import (
	"encoding/xml"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func readAddition(t *testing.T, name string) compose {
	t.Helper()
	var c compose
	if err := yaml.Unmarshal(read(t, name), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClickHouseBeside: every process has the URL of the ClickHouse servers, and these servers run with few rights and without open ports.
func TestClickHouseBeside(t *testing.T) {
	t.Parallel()
	for name, servers := range map[string][]string{
		"clickhouse.yaml":          {"clickhouse"},
		"clickhouse-replicas.yaml": {"clickhouse-1", "clickhouse-2", "keeper-1", "keeper-2", "keeper-3"},
	} {
		c := readAddition(t, name)
		for _, process := range []string{"migrate", "web", "worker", "clock"} {
			e := c.Services[process].Environment
			_, hosts, ok := strings.Cut(e["CLICKS_URL"], "@")
			if !ok || !strings.HasPrefix(e["CLICKS_URL"], "clickhouse://switchyard:") || (e["CLICKS_CLUSTER"] == "") != (len(servers) == 1) {
				t.Errorf("%s: %s has no valid CLICKS_URL, or its CLICKS_CLUSTER does not fit the number of servers", name, process)
			}
			for _, server := range servers {
				if strings.HasPrefix(server, "clickhouse") && !strings.Contains(hosts, server+":9000") {
					t.Errorf("%s: the CLICKS_URL of %s lacks the host %s", name, process, server)
				}
			}
		}
		for _, server := range servers {
			s := c.Services[server]
			if !s.ReadOnly || s.User == "" || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") ||
				!slices.Equal(s.Networks, []string{"back"}) || len(s.Ports) > 0 || len(s.Volumes) == 0 {
				t.Errorf("%s: %s has too many rights, an open port or no volume: %+v", name, server, s)
			}
		}
		if len(c.Services) != len(servers)+4 {
			t.Errorf("%s: %d services, want only the servers and the four processes", name, len(c.Services))
		}
	}
}

type server struct {
	Host string `xml:"host"`
	Port string `xml:"port"`
}

type fromEnv struct {
	Name string `xml:"from_env,attr"`
}

// TestReplicas: the configuration files of the servers and Keepers use the hosts of the compose file. The compose file sets every
// variable that the configuration files read.
func TestReplicas(t *testing.T) {
	t.Parallel()
	c := readAddition(t, "clickhouse-replicas.yaml")
	var cluster struct {
		Shards []struct {
			Internal bool     `xml:"internal_replication"`
			Replicas []server `xml:"replica"`
		} `xml:"remote_servers>switchyard>shard"`
		Secret   fromEnv  `xml:"remote_servers>switchyard>secret"`
		Keepers  []server `xml:"zookeeper>node"`
		Shard    string   `xml:"macros>shard"`
		Replica  fromEnv  `xml:"macros>replica"`
		Host     fromEnv  `xml:"interserver_http_host"`
		Password fromEnv  `xml:"interserver_http_credentials>password"`
	}
	var keeper struct {
		Port    string  `xml:"keeper_server>tcp_port"`
		ID      fromEnv `xml:"keeper_server>server_id"`
		Servers []struct {
			ID   string `xml:"id"`
			Host string `xml:"hostname"`
		} `xml:"keeper_server>raft_configuration>server"`
	}
	for path, into := range map[string]any{"clickhouse/cluster.xml": &cluster, "clickhouse/keeper.xml": &keeper} {
		if err := xml.Unmarshal(read(t, path), into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if len(cluster.Shards) != 1 || !cluster.Shards[0].Internal || len(cluster.Shards[0].Replicas) != 2 || cluster.Shard != "1" {
		t.Fatalf("the shards are %+v, want one with two replicas", cluster.Shards)
	}
	for _, r := range cluster.Shards[0].Replicas {
		s := c.Services[r.Host]
		if s.Image == "" || r.Port != "9000" || s.Environment[cluster.Replica.Name] != r.Host || s.Environment[cluster.Host.Name] != r.Host {
			t.Errorf("replica %+v of cluster.xml does not fit its service in the compose file, whose environment is %+v", r, s.Environment)
		}
		for _, v := range []fromEnv{cluster.Secret, cluster.Password} {
			if !strings.HasPrefix(s.Environment[v.Name], "${") {
				t.Errorf("%s does not take %q from the environment of compose", r.Host, v.Name)
			}
		}
	}
	if len(cluster.Keepers) != 3 || len(keeper.Servers) != 3 {
		t.Fatalf("cluster.xml has %d Keepers and keeper.xml %d, want 3 in both", len(cluster.Keepers), len(keeper.Servers))
	}
	for i, k := range keeper.Servers {
		if node := cluster.Keepers[i]; node.Host != k.Host || node.Port != keeper.Port || c.Services[k.Host].Environment[keeper.ID.Name] != k.ID {
			t.Errorf("Keeper %+v of keeper.xml does not fit %+v of cluster.xml, or the environment %v of its service", k, node, c.Services[k.Host].Environment)
		}
	}
	for name, s := range c.Services {
		for _, v := range s.Volumes {
			if from, _, _ := strings.Cut(v, ":"); strings.HasPrefix(from, "./") {
				if _, err := os.Stat(filepath.FromSlash(from)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	u, err := url.Parse(strings.ReplaceAll(c.Services["web"].Environment["CLICKS_URL"], "${CLICKS_PASSWORD:?set it}", "x"))
	if err != nil || u.Path != "/"+c.Services["clickhouse-1"].Environment["CLICKHOUSE_DB"] {
		t.Errorf("CLICKS_URL does not end with the database of clickhouse-1: %v, %v", u, err)
	}
}
