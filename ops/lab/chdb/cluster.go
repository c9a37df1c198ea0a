package chdb

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Cluster is the name of a cluster that the engine knows. It has two shards, and both are the engine itself. Each row is written
// to a single shard. A query about one account's rows asks one shard and finds each row once. A query that asks both shards finds
// each row twice. There is no Keeper, so tables that would be replicated are plain tables.
const Cluster = "lab"

// The engine listens on no port, and nothing connects to the port in the settings. This port only lets the engine recognize
// itself in the cluster.
const clusterConfig = `<clickhouse>
	<tcp_port>9000</tcp_port>
	<remote_servers><` + Cluster + `>
		<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
		<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
	</` + Cluster + `></remote_servers>
	<macros><shard>1</shard><replica>lab</replica></macros>
</clickhouse>
`

func configure(dir string) (file string, err error) {
	file = filepath.Join(dir, "config.xml")
	if err = os.MkdirAll(dir, 0o700); err == nil {
		err = os.WriteFile(file, []byte(clusterConfig), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("chdb: %w", err)
	}
	return file, nil
}

var (
	onCluster  = regexp.MustCompile(` ON CLUSTER '` + Cluster + `'`)
	replicated = regexp.MustCompile(`ENGINE = Replicated(\w*MergeTree)\('[^']*', '\{replica\}'(?:, )?`)
)

// onOneServer removes ON CLUSTER and makes replicated tables plain tables.
func onOneServer(statement string) string {
	if !onCluster.MatchString(statement) {
		return statement
	}
	return replicated.ReplaceAllString(onCluster.ReplaceAllString(statement, ""), "ENGINE = $1(")
}
