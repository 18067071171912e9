<?php

declare(strict_types=1);

/**
 * The Sluice channel API in one file, for PHP 8.1 and later with the curl extension.
 *
 *     require 'Sluice.php';
 *     $sluice = new Sluice('http://127.0.0.1:8081/api/v1', 'sluice_7e57...', signingSecret: null);
 *     echo $sluice->lookup('SHOP-MUG')['available'];
 *
 * Requests without an answer and answers 408, 429, 502, 503 and 504 are retried: with exponential backoff and full jitter,
 * added to Retry-After. That is safe: an order is identified by its number, and a report of a status that the order already
 * has changes nothing. Every other failure is thrown as SluiceError. Programs should decide on its `reason`, never on its
 * text.
 */
final class SluiceError extends RuntimeException
{
    /**
     * @param int $status HTTP status; 0: no answer
     * @param ?string $reason the header Sluice-Error, such as "stock_insufficient"; null: not answered by the service
     * @param ?array $fields error texts by field, of a validation failure
     * @param ?float $retryAfter seconds that the service asks to wait
     * @param ?string $requestId identifies the request in the logs of the service
     */
    public function __construct(
        string $message,
        public readonly int $status = 0,
        public readonly ?string $reason = null,
        public readonly ?string $errorCode = null,
        public readonly ?array $fields = null,
        public readonly ?float $retryAfter = null,
        public readonly ?string $requestId = null,
    ) {
        parent::__construct($message);
    }

    /** The same request can succeed later. */
    public function isRetriable(): bool
    {
        return $this->isSentAgain() || $this->errorCode === 'insufficient_stock';
    }

    public function isSentAgain(): bool
    {
        return in_array($this->status, [0, 408, 429, 502, 503, 504], true);
    }
}

final class Sluice
{
    private string $base;

    public function __construct(
        string $baseUrl,
        private readonly string $apiKey,
        private readonly ?string $signingSecret = null,
        private readonly float $timeout = 30.0,
        private readonly int $attempts = 5,
        private readonly float $basePause = 0.25,
        private readonly float $maxPause = 20.0,
    ) {
        $this->base = rtrim($baseUrl, '/');
    }

    /** The value of X-Sluice-Signature; `$target` is the path with its query, exactly as sent. */
    public static function sign(string $secret, string $method, string $target, string $timestamp, string $body = ''): string
    {
        return 'v1=' . hash_hmac('sha256', "$method\n$target\n$timestamp\n$body", $secret);
    }

    /** All rows of the stock list. */
    public function inventory(): array
    {
        return $this->call('GET', '/inventory')[1]['data'];
    }

    /** The current stock of one SKU: sku, available, reserve_remaining. */
    public function lookup(string $sku): array
    {
        return $this->call('GET', '/inventory/' . self::segment($sku))[1];
    }

    /** data and unknown for at most 1,000 SKUs, all read at the same moment. */
    public function lookupMany(array $skus): array
    {
        return $this->call('POST', '/inventory/lookup', ['skus' => array_values($skus)])[1];
    }

    /** Rows that changed since a token: data, removed, changes_since, is_complete, has_more. */
    public function inventoryChanges(string $token, int $wait = 0, ?int $limit = null): array
    {
        return $this->changes('/inventory', $token, $wait, $limit);
    }

    /** The stored order; true if it is new, false if it was accepted before. Both are success. */
    public function submitOrder(array $order): array
    {
        [$status, $body] = $this->call('POST', '/orders', $order);
        return [$body['data'], $status === 201];
    }

    public function order(string $orderNumber): array
    {
        return $this->call('GET', '/orders/' . self::segment($orderNumber))[1]['data'];
    }

    /** Reports a new status of an order, such as reportStatus('SHOP-1', 3, ['tracking_number' => '6012-3344']). */
    public function reportStatus(string $orderNumber, int $status, array $fields = []): array
    {
        $path = '/orders/' . self::segment($orderNumber) . '/status';
        return $this->call('POST', $path, ['status' => $status] + $fields)[1]['data'];
    }

    /** Orders whose status changed since a token: changes, changes_since, has_more. */
    public function orderChanges(string $token = 'now', int $wait = 0, ?int $limit = null): array
    {
        return $this->changes('/orders', $token, $wait, $limit);
    }

    /**
     * Yields token => order for each order whose status changes, without end. Store the token to resume from there.
     * Continues after failures that pass, such as a restart of the service; throws all others.
     */
    public function watchOrders(string $token = 'now', int $wait = 25): Generator
    {
        while (true) {
            try {
                $answer = $this->orderChanges($token, $wait);
            } catch (SluiceError $error) {
                if (!$error->isRetriable()) {
                    throw $error;
                }
                $this->pause(($error->retryAfter ?? 0.0) + $this->maxPause * random_int(0, 1000) / 1000);
                continue;
            }
            $last = count($answer['changes']) - 1;
            foreach ($answer['changes'] as $index => $order) {
                // The new token comes with the last order of an answer: only then all changes up to it are delivered.
                yield ($index === $last ? $answer['changes_since'] : $token) => $order;
            }
            $token = $answer['changes_since'];
        }
    }

    private function changes(string $path, string $token, int $wait, ?int $limit): array
    {
        $query = ['changes_since' => $token, 'wait' => $wait] + ($limit === null ? [] : ['limit' => $limit]);
        return $this->call('GET', $path . '?' . http_build_query($query), null, $wait)[1];
    }

    /** @return array{int, array} status and body */
    private function call(string $method, string $path, ?array $body = null, float $wait = 0): array
    {
        $data = $body === null ? null : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        for ($attempt = 1; ; $attempt++) {
            try {
                return $this->send($method, $path, $data, $this->timeout + $wait);
            } catch (SluiceError $error) {
                $asked = $error->retryAfter ?? 0.0;
                if (!$error->isSentAgain() || $attempt >= $this->attempts || $asked > $this->maxPause) {
                    throw $error;
                }
                $longest = min($this->maxPause, $this->basePause * 2 ** ($attempt - 1));
                $this->pause(min($this->maxPause, $asked + $longest * random_int(0, 1000) / 1000));
            }
        }
    }

    private function pause(float $seconds): void
    {
        usleep((int) ($seconds * 1_000_000));
    }

    private function send(string $method, string $path, ?string $data, float $timeout): array
    {
        $url = $this->base . $path;
        $headers = ['X-Api-Key: ' . $this->apiKey, 'Accept: application/json'];
        if ($data !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        if ($this->signingSecret !== null) {
            // Signed for each attempt, because a signature expires.
            $timestamp = (string) time();
            $query = parse_url($url, PHP_URL_QUERY);
            $target = parse_url($url, PHP_URL_PATH) . ($query === null ? '' : "?$query");
            $headers[] = "X-Sluice-Timestamp: $timestamp";
            $headers[] = 'X-Sluice-Signature: ' . self::sign($this->signingSecret, $method, $target, $timestamp, $data ?? '');
        }
        $received = [];
        $curl = curl_init($url);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            // Following a redirect would send the API key to another address.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT_MS => (int) ($timeout * 1000),
            CURLOPT_HEADERFUNCTION => function ($_curl, string $line) use (&$received): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $received[strtolower(trim($parts[0]))] = trim($parts[1]);
                }
                return strlen($line);
            },
        ] + ($data === null ? [] : [CURLOPT_POSTFIELDS => $data]));
        $text = curl_exec($curl);
        if ($text === false) {
            throw new SluiceError('no answer from the service: ' . curl_error($curl));
        }
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $body = json_decode($text, true);
        if ($status >= 200 && $status < 300 && is_array($body)) {
            return [$status, $body];
        }
        $body = is_array($body) ? $body : [];
        $retryAfter = $received['retry-after'] ?? '';
        throw new SluiceError(
            $body['error'] ?? $body['message'] ?? "the service answered $status",
            $status,
            $received['sluice-error'] ?? null,
            $body['code'] ?? null,
            $body['errors'] ?? null,
            is_numeric($retryAfter) ? (float) $retryAfter : null,
            $received['x-request-id'] ?? null,
        );
    }

    /** One path segment. These three values would change the path even when escaped. */
    private static function segment(string $name): string
    {
        if (in_array($name, ['', '.', '..'], true)) {
            throw new ValueError("\"$name\" cannot be sent as part of a path");
        }
        return rawurlencode($name);
    }
}
