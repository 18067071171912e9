/** A sluice gate, half open. */
export const Logo = ({ size = 26 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
    <rect width="32" height="32" rx="7" fill="#0e5a61" />
    <path d="M8 26V6M24 26V6M8 8.5h16" stroke="#d9f0ee" strokeWidth="2.6" strokeLinecap="round" />
    <rect x="10.6" y="11" width="10.8" height="6.4" rx="1" fill="#5cc4bd" />
    <path
      d="M10 22.4c1.5-1.5 3-1.5 4.5 0s3 1.5 4.5 0 2-1.5 3-1.2"
      fill="none"
      stroke="#d9f0ee"
      strokeWidth="2.2"
      strokeLinecap="round"
    />
  </svg>
);
