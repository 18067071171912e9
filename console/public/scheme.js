// Before the first paint: a remembered colour scheme, or the system's. The console's bundle takes over from here.
(() => {
  const kept = localStorage.getItem('sluice.scheme');
  const isDark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
})();
