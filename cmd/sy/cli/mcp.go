package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	switchyard "switchyard/api/clients/go"
)

// mcpCmd connects an assistant to the service's address /mcp, for assistants that can only start a command.
type mcpCmd struct{}

const maxMessage = 4 << 20 // bytes

// Run implements the command. It sends each line of standard input to the service as a message of the Model Context Protocol, and
// writes each answer as a line to standard output.
func (c *mcpCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	b := bridge{client: client, out: e.stdout}
	lines := bufio.NewScanner(e.stdin)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		if line := bytes.Clone(lines.Bytes()); len(bytes.TrimSpace(line)) > 0 {
			m := b.read(line)
			if m.Method == "initialize" { // later messages need the version that its answer states
				b.send(ctx, m, line)
				continue
			}
			b.running.Go(func() { b.send(ctx, m, line) })
		}
	}
	b.running.Wait()
	return lines.Err()
}

// bridge passes messages between the assistant and the service.
type bridge struct {
	client  *switchyard.Client
	out     io.Writer
	running sync.WaitGroup

	mu      sync.Mutex
	version string // version of the protocol, once it is agreed
	program string // name of the assistant, once it is known
}

// message has the members of a message that the bridge reads. The service requires most of them as headers too.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Client struct {
			Name string `json:"name"`
		} `json:"clientInfo"`
		Name string `json:"name"`
		URI  string `json:"uri"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

func (b *bridge) read(line []byte) (m message) {
	_ = json.Unmarshal(line, &m) // the service answers an invalid message with an error
	return m
}

// send sends a message and writes the service's answer.
func (b *bridge) send(ctx context.Context, m message, line []byte) {
	answer, err := b.post(ctx, m, line)
	if err != nil && m.ID != nil {
		answer, _ = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32000, "message": err.Error()}})
	}
	if len(answer) == 0 {
		return
	}
	var agreed struct {
		Result struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.Method == "initialize" && json.Unmarshal(answer, &agreed) == nil {
		b.version = agreed.Result.Version
	}
	_, _ = b.out.Write(append(bytes.ReplaceAll(bytes.TrimSpace(answer), []byte("\n"), nil), '\n')) // fails if the assistant has ended
}

func (b *bridge) post(ctx context.Context, m message, line []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(b.client.URL, "/")+"/mcp", bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	version, agent := cmp.Or(m.Params.Meta.Version, b.version), b.client.UserAgent
	if b.program = cmp.Or(m.Params.Client.Name, b.program); b.program != "" {
		agent = b.program + " (" + agent + ")"
	}
	b.mu.Unlock()
	for name, value := range map[string]string{
		"Authorization": "Bearer " + b.client.Key, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"User-Agent": agent, "Mcp-Protocol-Version": version, "Mcp-Method": m.Method, "Mcp-Name": cmp.Or(m.Params.Name, m.Params.URI),
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	resp, err := cmp.Or(b.client.HTTP, http.DefaultClient).Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	var refused struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Version string `json:"jsonrpc"`
	}
	if err == nil && resp.StatusCode >= http.StatusBadRequest && (json.Unmarshal(body, &refused) != nil || refused.Version == "") {
		err = fmt.Errorf("%s: %s", resp.Status, cmp.Or(refused.Error.Message, strings.TrimSpace(string(body))))
	}
	return body, err
}
