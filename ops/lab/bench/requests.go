package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"switchyard/ops/visitors"
)

// variants is larger than the number of user agents, and than the number of addresses in the set.
const variants = 4000

var languages = []string{"en-US,en;q=0.9", "de-DE,de;q=0.9,en;q=0.8", "es-MX,es;q=0.9", "pt-BR", "fr-FR,fr;q=0.9", "ja"}

// visits returns requests for a path from people of all countries and devices, as browsers send them. Each comes from one of some
// 700,000 addresses: each time a request is sent, digits of its address are random. Requests from only a few addresses would be
// detected as the flood of a program.
func visits(set visitors.Set, host, path string) []Request {
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]Request, variants)
	for i := range list {
		list[i] = request(host, fmt.Sprintf("%s?sub1=zone-%d&sub2=creative-%d&xid=c%08x&bid=0.0%d&utm_source=bench",
			path, random.IntN(50), random.IntN(9), random.Uint32(), 1+random.IntN(9)),
			set.People[i%len(set.People)], neighbour(set.Addresses[random.IntN(len(set.Addresses))].IP),
			languages[random.IntN(len(languages))])
		list[i].Digits = digitsOfNeighbour(list[i].Bytes)
	}
	return list
}

// neighbour returns another address of the same provider.
func neighbour(address string) string {
	if parts := strings.Split(address, ":"); len(parts) > 1 {
		return parts[0] + ":" + parts[1] + ":100:100::1"
	}
	parts := strings.Split(address, ".")
	return parts[0] + "." + parts[1] + ".100.100"
}

func digitsOfNeighbour(request []byte) []int {
	at := max(bytes.LastIndex(request, []byte(".100.100")), bytes.LastIndex(request, []byte(":100:100::")))
	return []int{at + 2, at + 3, at + 6, at + 7}
}

// Each time a request is sent, it has a new user agent.
func floodVisits(set visitors.Set, host, path string) []Request {
	mark := bytes.Repeat([]byte("?"), 16)
	list := visits(set, host, path)
	for i := range list {
		agent := fmt.Sprintf("Mozilla/5.0 (Linux; Android %d; %s) AppleWebKit/537.36 (KHTML, like Gecko) "+
			"Chrome/%d.0.0.0 Mobile Safari/537.36", 9+i%7, mark, 100+i%40)
		list[i] = request(host, fmt.Sprintf("%s?sub1=zone-%d", path, i%50), visitors.Agent{UserAgent: agent}, set.Addresses[i%len(set.Addresses)].IP,
			languages[i%len(languages)])
		list[i].Random, list[i].Letters = bytes.Index(list[i].Bytes, mark), len(mark)
	}
	return list
}

func request(host, target string, agent visitors.Agent, ip, language string) Request {
	return Request{Bytes: fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n"+
		"Accept: %s\r\nAccept-Encoding: gzip, deflate\r\n"+
		"Accept-Language: %s\r\nReferer: https://news.example.com/story\r\nX-Forwarded-For: %s\r\n\r\n",
		target, host, agent.UserAgent, agent.Accept(), language, ip)}
}
