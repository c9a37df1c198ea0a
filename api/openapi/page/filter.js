document.getElementById('filter').addEventListener('input', (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const section of document.querySelectorAll('section')) {
    const lines = [...section.querySelectorAll('li')];
    for (const line of lines) line.hidden = !words.every((word) => line.textContent.toLowerCase().includes(word));
    section.hidden = lines.every((line) => line.hidden);
  }
});
