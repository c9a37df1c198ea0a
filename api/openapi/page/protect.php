<?php
function admit(string $domain, string $lander): void {
    $ask = ['lander' => $lander, 'ip' => $_SERVER['REMOTE_ADDR'], 'ua' => $_SERVER['HTTP_USER_AGENT'] ?? ''];
    if (!empty($_GET['lp_key'])) { $ask['key'] = $_GET['lp_key']; }
    if (!empty($_GET['clickid'])) { $ask['clickid'] = $_GET['clickid']; }
    $text = @file_get_contents("https://$domain/lp/verify?" . http_build_query($ask));
    $data = json_decode($text ?: '', true)['data'] ?? ['allowed' => true];
    if ($data['allowed']) { return; }
    if (!empty($data['fallback_url'])) { header('Location: ' . $data['fallback_url'], true, 302); }
    else { http_response_code(404); }
    exit;
}
