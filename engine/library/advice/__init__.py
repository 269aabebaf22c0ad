"""Why is it slow, why are the answers poor, why did it not fit: rules over measured figures."""
