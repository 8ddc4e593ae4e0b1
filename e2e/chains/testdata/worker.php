<?php
// Proves by a digest that it has its secrets, and stays until it is told to end.
$text = getenv("DB_PASSWORD") . "\n" . getenv("API_KEY");
$proof = getenv("CHAIN_PROOFS") . "/" . getmypid();
file_put_contents("$proof.new", hash("sha256", $text));
rename("$proof.new", $proof);
while (!file_exists(getenv("CHAIN_END"))) {
    usleep(50000);
    clearstatcache();
}
exit((int) getenv("CHAIN_EXIT"));
