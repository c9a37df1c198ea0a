package chdb

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Cluster is the name of a cluster that the engine knows. It has two shards, and both are the engine itself: each row goes to one
// of them, and a question about the rows of one account, which asks one shard, finds them once. One that asks both finds them
// twice. There is no Keeper: what would be replicated is a plain table.
const Cluster = "lab"

// settled are the settings of the engine: the cluster, and what servers of one are called. The engine has no port; one that is
// not in use by anybody stands for itself.
const settled = `<clickhouse>
	<tcp_port>9000</tcp_port>
	<remote_servers><` + Cluster + `>
		<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
		<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
	</` + Cluster + `></remote_servers>
	<macros><shard>1</shard><replica>lab</replica></macros>
</clickhouse>
`

// configure writes the file with the settings beside the data, in a directory that may be new.
func configure(dir string) (file string, err error) {
	file = filepath.Join(dir, "config.xml")
	if err = os.MkdirAll(dir, 0o700); err == nil {
		err = os.WriteFile(file, []byte(settled), 0o600)
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

// onOneServer is a statement for all servers of the cluster, as the only one carries it out.
func onOneServer(statement string) string {
	if !onCluster.MatchString(statement) {
		return statement
	}
	return replicated.ReplaceAllString(onCluster.ReplaceAllString(statement, ""), "ENGINE = $1(")
}
