import { exactMoney, money } from './format-values.js';

interface MoneyProps {
  readonly amount: number;
  readonly currency: string;
}

/** An amount; the pointer shows digits that are left out. */
export function Money({ amount, currency }: MoneyProps) {
  const [shown, exact] = [money(amount, currency), exactMoney(amount, currency)];
  return <span title={shown === exact ? undefined : exact}>{shown}</span>;
}
