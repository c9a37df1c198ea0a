// Code that verifies a delivery, to paste into a receiver.
export const verifiers = [
  {
    value: 'node',
    label: 'Node.js',
    text: `const crypto = require('node:crypto')

function isReal(header, body, secret) {
  const parts = header.split(',').map(p => p.split('='))
  const t = parts.find(p => p[0] === 't')?.[1]
  if (!t || Math.abs(Date.now() / 1000 - Number(t)) > 300) return false
  const want = crypto.createHmac('sha256', secret).update(t + '.').update(body).digest()
  return parts.some(([name, hex]) => {
    const got = Buffer.from(name === 'v1' ? hex : '', 'hex')
    return got.length === want.length && crypto.timingSafeEqual(got, want)
  })
}`,
  },
  {
    value: 'python',
    label: 'Python',
    text: `import hashlib, hmac, time

def is_real(header: str, body: bytes, secret: str) -> bool:
    parts = [p.split("=", 1) for p in header.split(",") if "=" in p]
    t = next((v for k, v in parts if k == "t"), "")
    if not t.isdigit() or abs(time.time() - int(t)) > 300:
        return False
    want = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(k == "v1" and hmac.compare_digest(v, want) for k, v in parts)`,
  },
  {
    value: 'php',
    label: 'PHP',
    text: `function isReal(string $header, string $body, string $secret): bool {
    $parts = array_map(fn($p) => explode('=', $p, 2) + ['', ''], explode(',', $header));
    $t = current(array_filter($parts, fn($p) => $p[0] === 't'))[1] ?? '';
    if (!ctype_digit($t) || abs(time() - (int) $t) > 300) return false;
    $want = hash_hmac('sha256', "$t.$body", $secret);
    foreach ($parts as [$name, $hex]) {
        if ($name === 'v1' && hash_equals($want, $hex)) return true;
    }
    return false;
}`,
  },
  {
    value: 'go',
    label: 'Go',
    text: `func isReal(header string, body []byte, secret string) bool {
	var t string
	var sums []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "t" {
			t = value
		} else if name == "v1" {
			sums = append(sums, value)
		}
	}
	at, err := strconv.ParseInt(t, 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	want := hex.EncodeToString(mac.Sum(nil))
	return slices.ContainsFunc(sums, func(s string) bool { return hmac.Equal([]byte(s), []byte(want)) })
}`,
  },
]
