import { Button, type ButtonProps } from '@mantine/core';
import { Download, Plus } from 'lucide-react';
import { Link } from 'react-router';
import { address, path } from '../api/request.ts';

interface OrderLinkProps {
  /** null: the order does not exist; only its number is shown. */
  id: number | null;
  number: string;
  isNewTab?: boolean;
}

export const OrderLink = ({ id, number, isNewTab = false }: OrderLinkProps) =>
  id === null ? (
    <span className="mono">{number}</span>
  ) : (
    <Link to={path`/orders/${id}`} className="mono" {...(isNewTab ? { target: '_blank' } : {})}>
      {number}
    </Link>
  );

export const ItemLink = ({ code, text = code }: { code: string; text?: string }) => (
  <Link to={path`/stock/${code}`} className="mono">
    {text}
  </Link>
);

/** Links to the carrier's tracking page, if the carrier has one. */
export const TrackingNumber = ({ number, link }: { number: string | null; link: string | null }) =>
  link === null ? (
    <span className="mono">{number}</span>
  ) : (
    <a className="mono" href={link} target="_blank" rel="noreferrer">
      {number}
    </a>
  );

export const LinkButton = ({ to, label, ...rest }: ButtonProps & { to: string; label: string }) => (
  <Button component={Link} to={to} variant="default" {...rest}>
    {label}
  </Button>
);

/** `from`: the path of the file in the API. */
export const DownloadButton = ({ from, label }: { from: string; label: string }) => (
  <Button
    component="a"
    href={address(from)}
    download
    variant="default"
    leftSection={<Download size={16} aria-hidden />}
  >
    {label}
  </Button>
);

export const AddButton = ({ label, ...rest }: ButtonProps & { label: string; onClick: () => void }) => (
  <Button leftSection={<Plus size={16} aria-hidden />} {...rest}>
    {label}
  </Button>
);
