async function admit(domain, lander, page = window.location) {
  const here = new URLSearchParams(page.search);
  const ask = new URLSearchParams({ lander });
  if (here.get('lp_key')) ask.set('key', here.get('lp_key'));
  if (here.get('clickid')) ask.set('clickid', here.get('clickid'));
  let visitor = { allowed: true }; // stays if the request fails or is refused
  try {
    const answer = await fetch(`https://${domain}/lp/verify?${ask}`, { credentials: 'omit' });
    visitor = (await answer.json()).data ?? visitor;
  } catch {}
  if (!visitor.allowed) page.replace(visitor.fallback_url ?? 'about:blank');
  return visitor.allowed;
}
