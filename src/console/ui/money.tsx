import { exactMoney, money } from './format-values.js';

interface MoneyProps {
  /** A decimal string keeps all its digits. */
  readonly amount: number | string;
  readonly currency: string;
}

/** An amount; the pointer shows digits that are left out. */
export function Money({ amount, currency }: MoneyProps) {
  const [shown, exact] = [money(Number(amount), currency), exactMoney(amount, currency)];
  return <span title={shown === exact ? undefined : exact}>{shown}</span>;
}
