async function admit(domain, lander, page = window.location) {
  const here = new URLSearchParams(page.search);
  const ask = new URLSearchParams({ lander });
  if (here.get('lp_key')) ask.set('key', here.get('lp_key'));
  if (here.get('clickid')) ask.set('clickid', here.get('clickid'));
  const answer = await fetch(`https://${domain}/lp/verify?${ask}`, { credentials: 'omit' });
  const { data } = await answer.json();
  if (!data.allowed) page.replace(data.fallback_url ?? 'about:blank');
  return data.allowed;
}
