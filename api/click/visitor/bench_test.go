package visitor

import (
	"fmt"
	"testing"
)

func BenchmarkDescribeCached(b *testing.B) {
	d := newTestDescriber(b, Options{})
	r := browserRequest("Referer", "https://news.example.com/article?id=7")
	var into Description
	b.ReportAllocs()
	for b.Loop() {
		d.Describe(r, nil, &into)
	}
}

// BenchmarkDescribeRandomUA measures a flood: every request has a user agent never seen before.
func BenchmarkDescribeRandomUA(b *testing.B) {
	d := newTestDescriber(b, Options{})
	r := browserRequest("Sec-Ch-Ua", "", "Sec-Ch-Ua-Platform", "")
	var into Description
	const ua = "Mozilla/5.0 (Linux; Android 13; X%d) Chrome/120.0.0.0 Mobile Safari/537.36"
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		r.Header["User-Agent"] = []string{fmt.Sprintf(ua, n)}
		d.Describe(r, nil, &into)
	}
}

func BenchmarkClassify(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		classify(chromeWindows)
	}
}
